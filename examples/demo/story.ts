import { type Artifact, type Part, RemoteAgent, type Task } from '../external-agent/client.ts';
import { Browser } from './browser.ts';
import type { Organization, Person } from './organization.ts';
import { row, type Say } from './output.ts';

export interface TaskResult {
  id: string;
  what: string;
  states: string[];
  /** From the request to the answer or the pause. */
  milliseconds: number;
  artifacts: Artifact[];
  citations: unknown[];
  error?: unknown;
  approvalId?: string;
}

export const question = 'How many working days does the security check of new software take?';
export const ticket = {
  tool: 'workplace__create_ticket',
  arguments: {
    title: 'Recalibrate torque sensors of line 3',
    description: 'Two of six sensors failed the morning check. Please recalibrate before the night shift.',
  },
};

/** Submits a task and follows its events until it ends or waits for input. */
export async function submitTask(
  agent: RemoteAgent,
  id: string,
  what: string,
  parts: Part[],
  say: Say,
): Promise<TaskResult> {
  const since = performance.now();
  const states: string[] = [];
  let last: Task | undefined;
  for await (const update of agent.sendSubscribe(id, parts)) {
    if (states.at(-1) !== update.status.state) {
      states.push(update.status.state);
      say(row('Status', update.status.state));
      if (update.status.message) say(row('', textOf(update.status.message.parts)));
    }
    last = update;
    if (update.status.state === 'input-required') break;
  }
  return resultOf(id, what, states, performance.now() - since, last!);
}

/** Follows a paused task, from its first event to its end. */
export async function followToTheEnd(agent: RemoteAgent, before: TaskResult, say: Say): Promise<TaskResult> {
  const since = performance.now();
  const states: string[] = [];
  let last: Task | undefined;
  for await (const update of agent.events(before.id)) {
    if (states.at(-1) === update.status.state) continue;
    states.push(update.status.state);
    if (states.length > before.states.length) say(row('Status', update.status.state));
    last = update;
  }
  return resultOf(before.id, before.what, states, before.milliseconds + performance.now() - since, last!);
}

/** A browser signed in with email address and password. */
export async function signedIn(baseUrl: string, organization: string, { email, password }: Person): Promise<Browser> {
  const browser = new Browser(baseUrl);
  await browser.submit(await browser.open('/sign-in'), { organization, email, password });
  return browser;
}

/** Signs in as the approver with a one-time link, opens the approval's page and submits its form. */
export async function approve(organization: Organization, signInLink: string, approvalId: string): Promise<string> {
  const browser = new Browser(organization.baseUrl);
  const signIn = await browser.open(signInLink);
  await browser.submit(signIn, {});
  const page = await browser.open(`/approvals/${approvalId}`);
  const after = await browser.submit(page, { decision: 'approve' });
  if (after.status >= 400) throw new Error(`the decision was refused: ${after.text}`);
  return after.text;
}

function resultOf(id: string, what: string, states: string[], milliseconds: number, task: Task): TaskResult {
  const artifacts = task.artifacts ?? [];
  const data = artifacts
    .flatMap((artifact) => artifact.parts)
    .flatMap((part) => ('data' in part ? [part.data as { kind?: string; citations?: unknown[] }] : []));
  return {
    id,
    what,
    states,
    milliseconds: Math.round(milliseconds),
    artifacts,
    citations: data.flatMap((entry) => entry.citations ?? []),
    error: task.status.error,
    approvalId: task.status.metadata?.approvalId,
  };
}

export const textOf = (parts: Part[]): string =>
  parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
