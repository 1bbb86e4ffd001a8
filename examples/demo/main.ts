import '../../src/node-version.ts';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { RemoteAgent } from '../external-agent/client.ts';
import { lookAtEstate, printEstate } from './estate.ts';
import { accounts, organization, type Organization } from './organization.ts';
import { type Child, run, start } from './processes.ts';
import { furtherQuery, kept, lookAtSpend, printSpend } from './spend.ts';
import { approve, followToTheEnd, handOver, question, signedIn, ticket, type Told } from './story.ts';
import { DemoVendor } from './vendor.ts';

/*
 * A whole organization in one command: the server on an embedded PostgreSQL, two people, real documents, a real MCP server
 * for tickets and chat, an agent from outside that hands over tasks, and a vendor of a coding assistant that tells who used it.
 *
 *   npm run demo                       until Ctrl-C; a second start resumes
 *   npm run demo -- --once --json      in a temporary folder, decides by itself, one JSON object, ends
 *   npm run demo -- --any-port         beside another one; DATA_DIR says where it keeps what it has
 */
const { values: options } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    'any-port': { type: 'boolean', default: false },
  },
});
const say = (line: string) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`);

const root = path.resolve(import.meta.dirname, '../..');
const folder = options.once
  ? mkdtempSync(path.join(os.tmpdir(), 'countersign-demo-'))
  : path.resolve(process.env.DATA_DIR ?? path.join(root, '.countersign'));
const children: Child[] = [];
let vendor: DemoVendor | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void close().then(() => process.exit(options.once ? 1 : 0)));
// each step ends by itself when it makes no progress; this ends a demo that hangs elsewhere
if (options.once) setTimeout(() => process.kill(process.pid, 'SIGTERM'), 20 * 60_000).unref();

try {
  const demo = await open();
  const told = await tell(demo);
  if (options.json) process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
  const missing = whatDidNotComeOut(told);
  if (options.once) {
    await close();
    if (missing.length) throw new Error(`did not come out: ${missing.join('; ')}`);
  } else {
    say('\nRunning until Ctrl-C.');
  }
} catch (error) {
  process.stderr.write(`The demo ended: ${(error as Error).message}\n`);
  await close();
  process.exitCode = 1;
}

interface Demo {
  organization: Organization;
  workplaceUrl: string;
  env: Record<string, string>;
}

async function open(): Promise<Demo> {
  const since = performance.now();
  mkdirSync(folder, { recursive: true });
  if (options.once) chmodSync(folder, 0o711); // under root the database runs as another user, who has to reach its folder
  const port = (fixed: number) => (options.once || options['any-port'] ? '0' : String(fixed));
  const workplace = start(path.join(root, 'examples/workplace-mcp/main.ts'), [
    '--port',
    port(8090),
    '--state',
    path.join(folder, 'workplace.json'),
  ]);
  children.push(workplace);
  const [workplaceUrl] = await workplace.line(/http:\/\/\S+\/mcp/);
  say(`Workplace (tickets and chat over MCP) listens on ${workplaceUrl}`);

  vendor = await DemoVendor.start(Number(port(8097)), accounts);
  say(`Cursor (simulated, the last thirty days of it) listens on ${vendor.url}`);

  const env = {
    DATA_DIR: folder,
    CURSOR_URL: vendor.url,
    PORT: process.env.PORT ?? port(8080),
    INTERNAL_PORT: process.env.INTERNAL_PORT ?? port(9090),
    FOLDER_ROOTS: path.join(root, 'examples/demo-documents'),
    ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
  };
  const server = start(path.join(import.meta.dirname, 'server.ts'), [], env, (line) => say(`  ${line}`));
  children.push(server);
  const [, baseUrl] = await server.line(/listens on (\S+)/);
  say(`Countersign listens on ${baseUrl} (${Math.round(performance.now() - since)} ms)`);

  const setUpLink = server.lines
    .concat(await soon(server))
    .map((line) => /\S+\/setup\?link=\S+/.exec(line)?.[0])
    .find(Boolean);
  let stop = 0;
  const made = await organization({
    baseUrl,
    setUpLink,
    workplaceUrl,
    documents: path.join(root, 'examples/demo-documents'),
    stateFile: path.join(folder, 'demo.json'),
    codingAssistant: {
      vendor,
      nextStop: async () => {
        server.signal('SIGUSR2');
        await server.line(new RegExp(`The clock stands at stop ${++stop}`));
      },
    },
    vouch: async (slug, email) =>
      void (await operator(['admin', 'vouch', email, '--organization', slug], { ...env, BASE_URL: baseUrl })),
    say,
  });
  return { organization: made, workplaceUrl, env: { ...env, PORT: new URL(baseUrl).port } };
}

/** What the operator types on the server's machine. */
function operator(args: string[], env: Record<string, string>): Promise<string> {
  return run(path.join(root, 'dist/countersign.js'), args, env);
}

/** The set-up link is the line after the address, where there is one. */
async function soon(server: Child): Promise<string[]> {
  const nothing = new Promise<string[]>((resolve) => setTimeout(() => resolve([]), 1500));
  return Promise.race([server.line(/\/setup\?link=/).then(([line]) => [line]), nothing]);
}

async function tell({ organization: made, workplaceUrl, env }: Demo) {
  const agent = new RemoteAgent(made.a2aUrl, made.key);
  const run1 = Date.now().toString(36);

  say(`\nThe agent from outside has the key ${made.key}\nand asks: ${question}`);
  const answer = await handOver(agent, `question-${run1}`, question, [{ text: question }], say);
  print(answer);

  say(`\nIt asks for a ticket: ${JSON.stringify(ticket)}`);
  const asked = await handOver(
    agent,
    `ticket-${run1}`,
    'open a ticket',
    [{ text: 'Please open this ticket.' }, { data: ticket }],
    say,
  );
  const address = `${made.baseUrl}/approvals/${asked.approvalId}`;
  const signInLink = await operator(['admin', 'sign-in-link', made.approver.email, '--organization', made.slug], {
    ...env,
    BASE_URL: made.baseUrl,
  });

  let acted = asked;
  if (options.once) {
    if (!asked.approvalId) throw new Error(`no approval was asked for: ${JSON.stringify(asked)}`);
    await approve(made, signInLink, asked.approvalId);
    say(`  ${made.approver.name} has approved it on ${address}`);
    acted = await followToTheEnd(agent, asked, say);
    print(acted);
  } else {
    say(`  waits for ${made.approver.name}. Sign in as her: ${signInLink}\n  and decide on ${address}`);
    hints(made);
  }

  const spendAndEstate = made.estateKey ? await whatItCosts(made) : undefined;
  const arrivals = (await (await fetch(new URL('/arrivals', workplaceUrl))).json()) as {
    count: number;
    arrivals: unknown[];
  };
  return {
    addresses: {
      server: made.baseUrl,
      a2a: made.a2aUrl,
      mcp: `${made.baseUrl}/v1/mcp`,
      workplace: workplaceUrl,
      approval: address,
    },
    key: made.key,
    requester: made.requester.email,
    approver: made.approver.email,
    tasks: [answer, acted],
    arrived: arrivals,
    ...spendAndEstate,
  };
}

/** What AI assistants cost and bring, and what they are configured to run. */
async function whatItCosts(made: Organization) {
  const ada = await signedIn(made.baseUrl, made.slug, made.requester);
  const [spend, estate] = [await lookAtSpend(ada), await lookAtEstate(ada)];
  say('\nWhat coding assistants cost and bring, and what they are configured to run:');
  printSpend(spend, say);
  printEstate(estate, say);
  if (!options.once) furtherHints(made);
  return { spend, estate };
}

function print({ artifacts, citations }: Told): void {
  for (const part of artifacts.flatMap((artifact) => artifact.parts)) if ('text' in part) say(indent(part.text));
  for (const citation of citations as { n: number; title: string; source: string; url: string | null }[]) {
    say(`    [${citation.n}] ${citation.title} (${citation.source}${citation.url ? `, ${citation.url}` : ''})`);
  }
}

function hints(made: Organization): void {
  const { a2aUrl, key, baseUrl, productClientId, requester } = made;
  say(`
To try by hand:
  curl -s ${a2aUrl}/.well-known/agent.json -H 'Authorization: Bearer ${key}'
  curl -s ${a2aUrl}/tasks/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\
    -d '{"id":"mine-1","message":{"role":"user","parts":[{"text":"How many working days does the security check take?"}]}}'
  curl -s ${a2aUrl}/tasks/mine-1 -H 'Authorization: Bearer ${key}'
A product that acts for people, in another terminal:
  npm run product -- --countersign ${baseUrl} --client ${productClientId}
An assistant, over MCP at ${baseUrl}/v1/mcp:
  ${assistantHint(made)}
Sign in to either as ${requester.email} with the password ${requester.password}
Administration: ${baseUrl}/graphiql`);
}

function furtherHints({ baseUrl, requester, estateKey }: Organization): void {
  say(`
To look further, signed in as ${requester.email}:
  ${baseUrl}/graphiql with ${furtherQuery()}
  ${baseUrl}/console/exports/focus.csv?from=${kept().from}&to=${kept().to}
What this very machine is configured to run:
  COUNTERSIGN_URL=${baseUrl} COUNTERSIGN_KEY=${estateKey} sh examples/estate-upload.sh`);
}

function assistantHint({ baseUrl, configurationId, assistantClientId }: Organization): string {
  const page = `${baseUrl}/configurations/${configurationId}/assistants`;
  if (!assistantClientId) return `${page} says how`;
  return `claude mcp add --transport http --client-id ${assistantClientId} --callback-port 8976 support-desk ${baseUrl}/v1/mcp
  claude mcp login support-desk
  (Claude, Cursor, VS Code, Codex, Gemini: ${page})`;
}

function whatDidNotComeOut({
  tasks: [answer, acted],
  arrived,
  spend,
  estate,
}: Awaited<ReturnType<typeof tell>>): string[] {
  const expected: [string, boolean][] = [
    ['the question was answered', answer.states.at(-1) === 'completed'],
    ['the answer cites its sources', answer.citations.length > 0],
    ['the ticket waited for a person', acted.states.includes('input-required')],
    ['the ticket was opened', acted.states.at(-1) === 'completed'],
    ['the ticket arrived exactly once', arrived.count === 1],
    ['sixty days that the vendor no longer tells of were kept', spend?.keptDays === 60],
    ['the budget was reached', !spend?.budget || spend.budget.reached.includes(80)],
    ['one address is nobody\u2019s yet', spend?.unmatched.length === 1],
    ['a secret in a file was found', (estate?.byRule.plaintext_secret ?? 0) > 0],
  ];
  return expected.filter(([, isSo]) => !isSo).map(([what]) => what);
}

async function close(): Promise<void> {
  for (const child of children.toReversed()) await child.stop();
  await vendor?.close();
  if (options.once) rmSync(folder, { recursive: true, force: true });
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
