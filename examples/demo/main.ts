import '../../src/node-version.ts';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { RemoteAgent } from '../external-agent/client.ts';
import { stops } from './clock.ts';
import { loadEstate, printEstate } from './estate.ts';
import { keyPress } from './key-press.ts';
import { findDocuments, printKnowledge, showsPermissions } from './knowledge.ts';
import { printNextSteps } from './next-steps.ts';
import { accounts, organization, type Organization } from './organization.ts';
import { heading, row } from './output.ts';
import { type Child, run, start } from './processes.ts';
import { loadSpend, printSpend } from './spend.ts';
import { approve, followToTheEnd, question, signedIn, submitTask, type TaskResult, ticket } from './story.ts';
import { startSystems, type System } from './systems/systems.ts';
import { DemoVendor } from './vendor.ts';
import { Mailbox } from './walk/mailbox.ts';
import { prepareWalk } from './walk/set-up.ts';
import { SlackWorkspace } from './walk/slack-workspace.ts';
import { runSteps } from './walk/steps.ts';

/*
 * A complete organization in one command: the server on an embedded PostgreSQL, two people, real documents, a real MCP server
 * for tickets and chat, an external agent that submits tasks, a simulated vendor of a coding assistant, and a simulated Git host,
 * tracker and chat, in which the two people can read different documents.
 *
 *   npm run demo                       runs until Ctrl-C; a second start resumes
 *   npm run demo -- --once --json      uses a temporary folder, approves automatically, prints one JSON object and exits
 *   npm run demo -- --any-port         uses free ports; DATA_DIR names the data folder
 *   npm run demo -- --walk             leads through approvals, policies and the audit log step by step (docs/walk.md), in a
 *                                      temporary folder; with --once --json it takes every step itself and checks it
 */
const { values: options } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    'any-port': { type: 'boolean', default: false },
    walk: { type: 'boolean', default: false },
  },
});
if (options.walk && !options.once && !process.stdin.isTTY) {
  process.stderr.write('The walk needs a terminal. Without one, add --once.\n');
  process.exit(64);
}
const say = (line: string) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`);

const root = path.resolve(import.meta.dirname, '../..');
// the walk changes its audit log
const isTemporary = options.once || options.walk;
const folder = isTemporary
  ? mkdtempSync(path.join(os.tmpdir(), 'countersign-demo-'))
  : path.resolve(process.env.DATA_DIR ?? path.join(root, '.countersign'));
/** The organization's connection names this port, so the next start needs the same one. */
const workplacePortFile = path.join(folder, 'workplace-port');
const children: Child[] = [];
let vendor: DemoVendor | undefined;
let systems: System[] | undefined;
let mailbox: Mailbox | undefined;
let slack: SlackWorkspace | undefined;

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    isStopping = true;
    void close().then(() => process.exit(options.once ? 1 : 0));
  });
// every step fails when it makes no progress; this stops a demo that hangs elsewhere
if (options.once) setTimeout(() => process.kill(process.pid, 'SIGTERM'), 20 * 60_000).unref();

try {
  const { result, failures } = options.walk ? await runWalk() : await runDemo();
  if (options.json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (options.once) {
    await close();
    if (failures.length) throw new Error(`not as expected: ${failures.join('; ')}`);
  } else {
    say('\nRunning until Ctrl-C.');
  }
} catch (error) {
  // a signal ends the servers, so requests to them fail; it also ends this process
  if (isStopping) await new Promise(() => {});
  process.stderr.write(`Demo failed: ${(error as Error).message}\n`);
  await close();
  process.exitCode = 1;
}

interface Demo {
  organization: Organization;
  workplaceUrl: string;
  env: Record<string, string>;
}

async function runDemo() {
  const result = await runStory(await open());
  return { result, failures: failedExpectations(result) };
}

async function runWalk() {
  const [, grace] = accounts;
  mailbox = await Mailbox.start(Number(port(8091)));
  slack = await SlackWorkspace.start(Number(port(8092)), grace);
  const {
    organization: created,
    workplaceUrl,
    env,
  } = await open({
    SMTP_URL: mailbox.smtpUrl,
    SMTP_FROM: 'countersign@larkmoor.example',
    SMTP_TLS: 'optional',
    SLACK_API_URL: slack.apiUrl,
    NOTIFICATION_DIGEST_SECONDS: '0',
  });
  const walk = await prepareWalk({
    organization: created,
    mailbox,
    slack,
    workplaceUrl,
    folder,
    isUnattended: options.once,
    say,
    operator: (args) => operator(args, { ...env, BASE_URL: created.baseUrl }),
  });
  const steps = await runSteps(walk);
  return { result: { steps }, failures: steps.flatMap(({ failed }) => failed) };
}

async function open(settings: Record<string, string> = {}): Promise<Demo> {
  const since = performance.now();
  mkdirSync(folder, { recursive: true });
  if (isTemporary) chmodSync(folder, 0o711); // under root the database runs as another user, which needs access to the folder
  const workplace = start(path.join(root, 'examples/workplace-mcp/main.ts'), [
    '--port',
    existsSync(workplacePortFile) ? readFileSync(workplacePortFile, 'utf8') : port(8090),
    '--state',
    path.join(folder, 'workplace.json'),
  ]);
  children.push(workplace);
  const [workplaceUrl] = await workplace.line(/http:\/\/\S+\/mcp/);
  writeFileSync(workplacePortFile, new URL(workplaceUrl).port);
  say('Servers');
  say(row('Workplace', `${workplaceUrl.padEnd(27)}MCP server for tickets and chat`));

  vendor = await DemoVendor.start(Number(port(8097)), accounts);
  say(row('Cursor', `${vendor.url.padEnd(27)}simulated vendor, returns the last 30 days`));

  if (!options.walk) await openSystems();
  const env = {
    DATA_DIR: folder,
    CURSOR_URL: vendor.url,
    PORT: process.env.PORT ?? port(8080),
    INTERNAL_PORT: process.env.INTERNAL_PORT ?? port(9090),
    FOLDER_ROOTS: path.join(root, 'examples/demo-documents'),
    ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    ...settings,
  };
  const server = start(path.join(import.meta.dirname, 'server.ts'), [], env, (line) => say(`  ${line}`));
  children.push(server);
  const [, baseUrl] = await server.line(/listens on (\S+)/);
  say(row('Countersign', `${baseUrl.padEnd(27)}started in ${((performance.now() - since) / 1000).toFixed(1)} s`));

  // at the first start, the server prints it together with its address
  const setUpLink = server.lines.map((line) => /\S+\/setup\?link=\S+/.exec(line)?.[0]).find(Boolean);
  let stop = 0;
  const created = await organization({
    baseUrl,
    setUpLink,
    workplaceUrl,
    documents: path.join(root, 'examples/demo-documents'),
    stateFile: path.join(folder, 'demo.json'),
    codingAssistant: {
      vendor,
      stops,
      nextStop: async () => {
        server.signal('SIGUSR2');
        await server.line(new RegExp(`Clock moved to stop ${++stop}`));
      },
    },
    systems,
    vouch: async (slug, email) =>
      void (await operator(['admin', 'vouch', email, '--organization', slug], { ...env, BASE_URL: baseUrl })),
    say,
  });
  return { organization: created, workplaceUrl, env: { ...env, PORT: new URL(baseUrl).port } };
}

/** Does nothing for an organization of an earlier version of the demo, which has no such connections. */
async function openSystems(): Promise<void> {
  const stateFile = path.join(folder, 'systems.json');
  if (existsSync(path.join(folder, 'demo.json')) && !existsSync(stateFile)) return;
  systems = await startSystems(stateFile, (fixed) => Number(port(fixed)), accounts);
  for (const { name, url, about } of systems) say(row(name, `${url.padEnd(27)}${about}`));
}

/** A fixed port, which a person can remember, or any free one. */
function port(fixed: number): string {
  return options.once || options['any-port'] ? '0' : String(fixed);
}

/** Runs a command of the operator's CLI. */
function operator(args: string[], env: Record<string, string>): Promise<string> {
  return run(path.join(root, 'dist/operator.js'), args, env);
}

async function runStory({ organization: created, workplaceUrl, env }: Demo) {
  const agent = new RemoteAgent(created.a2aUrl, created.key);
  const runId = Date.now().toString(36);

  say(heading('Task 1: a question from an external agent'));
  say(row('Agent key', created.key));
  say(row('Question', question));
  const answer = await submitTask(agent, `question-${runId}`, question, [{ text: question }], say);
  print(answer);

  say(heading('Task 2: a ticket, which needs an approval'));
  say(row('Tool call', `${ticket.tool}\n${JSON.stringify(ticket.arguments, null, 2)}`));
  const pending = await submitTask(
    agent,
    `ticket-${runId}`,
    'open a ticket',
    [{ text: 'Please open this ticket.' }, { data: ticket }],
    say,
  );
  if (!pending.approvalId) throw new Error(`no approval was requested: ${JSON.stringify(pending)}`);
  const approvalUrl = `${created.baseUrl}/approvals/${pending.approvalId}`;
  const signInLink = () =>
    operator(['admin', 'sign-in-link', created.approver.email, '--organization', created.slug], {
      ...env,
      BASE_URL: created.baseUrl,
    });
  const approveAsApprover = async (approvalId: string) => {
    await approve(created, await signInLink(), approvalId);
    say(row('Approved', `by ${created.approver.name}, at ${approvalUrl}`));
  };

  let completed = pending;
  if (options.once) {
    await approveAsApprover(pending.approvalId);
    completed = await followToTheEnd(agent, pending, say);
    print(completed);
  } else {
    say(row('Approver', created.approver.name));
    say(row('1. Sign in', await signInLink()));
    say(row('2. Decide', approvalUrl));
  }

  const knowledge = created.systemIds && (await showKnowledge(created, created.systemIds));
  const spendAndEstate = created.estateKey ? await showSpendAndEstate(created) : undefined;
  if (!options.once) {
    printNextSteps(created, say);
    completed = await awaitDecision(created, agent, pending, approveAsApprover);
  }
  const arrivals = (await (await fetch(new URL('/arrivals', workplaceUrl))).json()) as {
    count: number;
    arrivals: unknown[];
  };
  return {
    addresses: {
      server: created.baseUrl,
      a2a: created.a2aUrl,
      mcp: `${created.baseUrl}/v1/mcp`,
      workplace: workplaceUrl,
      approval: approvalUrl,
    },
    key: created.key,
    requester: created.requester.email,
    approver: created.approver.email,
    tasks: [answer, completed],
    arrived: arrivals,
    knowledge,
    ...spendAndEstate,
  };
}

/** Follows the paused task while a person decides, in a browser or with one key in this terminal. */
async function awaitDecision(
  { approver }: Organization,
  agent: RemoteAgent,
  pending: TaskResult,
  approveAsApprover: (approvalId: string) => Promise<void>,
): Promise<TaskResult> {
  say(heading('Task 2: waiting for the approval'));
  say(row('In a browser', 'open the two links under “Task 2: a ticket, which needs an approval”'));
  if (process.stdin.isTTY) say(row('In this terminal', `press A to approve as ${approver.name}`));
  say(row('To stop', 'press Ctrl-C; the next start resumes'));
  const decided = new AbortController();
  const approvedHere = keyPress('a', decided.signal).then(async (key) => {
    if (!key) return;
    // somebody may have decided in a browser a moment before
    await approveAsApprover(pending.approvalId!).catch((error: Error) => say(row('Not approved', error.message)));
  });
  const followed = followToTheEnd(agent, pending, say).finally(() => decided.abort());
  const [result] = await Promise.all([followed, approvedHere]);
  print(result);
  return result;
}

/** Searches the Git host, the tracker and the chat as each of the two people. */
async function showKnowledge({ baseUrl, slug, requester, approver }: Organization, systemIds: string[]) {
  const [ada, grace] = await Promise.all(
    [requester, approver].map(async (person) => findDocuments(await signedIn(baseUrl, slug, person), systemIds)),
  );
  say(heading('Knowledge: search results of two people'));
  printKnowledge(ada, grace, say);
  return { ada, grace };
}

/** Prints the spend of coding assistants and the findings in their configuration. */
async function showSpendAndEstate(created: Organization) {
  const ada = await signedIn(created.baseUrl, created.slug, created.requester);
  const [spend, estate] = [await loadSpend(ada), await loadEstate(ada)];
  say(heading('Spend: Cursor'));
  printSpend(spend, say);
  say(heading('AI estate: configuration of AI clients'));
  printEstate(estate, say);
  return { spend, estate };
}

function print({ artifacts, citations }: TaskResult): void {
  for (const part of artifacts.flatMap((artifact) => artifact.parts)) if ('text' in part) say(row('Answer', part.text));
  for (const citation of citations as { n: number; title: string; source: string; url: string | null }[]) {
    say(
      row('Source', `[${citation.n}] ${citation.title} (${citation.source}${citation.url ? `, ${citation.url}` : ''})`),
    );
  }
}

function failedExpectations({
  tasks: [answer, completed],
  arrived,
  knowledge,
  spend,
  estate,
}: Awaited<ReturnType<typeof runStory>>): string[] {
  const expected: [string, boolean][] = [
    ['the question was answered', answer.states.at(-1) === 'completed'],
    ['the answer cites its sources', answer.citations.length > 0],
    ['the ticket waited for an approval', completed.states.includes('input-required')],
    ['the ticket was created', completed.states.at(-1) === 'completed'],
    ['the ticket arrived exactly once', arrived.count === 1],
    ['search returns only what the person can open in the source', !knowledge || showsPermissions(knowledge)],
    ['60 days that the vendor no longer returns are stored', spend?.keptDays === 60],
    ['the budget was reached', !spend?.budget || spend.budget.reached.includes(80)],
    ['one identity is unmatched', spend?.unmatched.length === 1],
    ['a secret in a file was found', (estate?.byRule.plaintext_secret ?? 0) > 0],
  ];
  return expected.filter(([, isMet]) => !isMet).map(([expectation]) => expectation);
}

async function close(): Promise<void> {
  for (const child of children.toReversed()) await child.stop();
  await vendor?.close();
  for (const system of systems ?? []) await system.stop();
  await mailbox?.close();
  await slack?.close();
  if (isTemporary) rmSync(folder, { recursive: true, force: true });
}
