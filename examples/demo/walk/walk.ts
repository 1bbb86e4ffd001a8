import type { RemoteAgent } from '../../external-agent/client.ts';
import type { Arrival } from '../../workplace-mcp/store.ts';
import type { Browser, Page } from '../browser.ts';
import { keyPress } from '../key-press.ts';
import type { Organization, Person } from '../organization.ts';
import { row, type Say } from '../output.ts';
import { submitTask, type TaskResult } from '../story.ts';
import type { Mailbox } from './mailbox.ts';
import type { SlackWorkspace } from './slack-workspace.ts';

/** A person of the walk, with a browser in which they are signed in. */
export interface Participant extends Person {
  browser: Browser;
}

/** What the steps work with. */
export interface Walk {
  organization: Organization;
  /** Responsible for the agent, so that she never approves its calls. */
  ada: Participant;
  grace: Participant;
  milo: Participant;
  agent: RemoteAgent;
  mailbox: Mailbox;
  slack: SlackWorkspace;
  workplaceUrl: string;
  /** The data folder of the server. */
  folder: string;
  /** Nobody watches: the demo acts in place of the people. */
  isUnattended: boolean;
  say: Say;
}

export interface Check {
  statement: string;
  isTrue: boolean;
}
export interface StepOutcome {
  checks: Check[];
  /** What the checks are based on, for the JSON result. */
  facts: Record<string, unknown>;
}
export const check = (statement: string, isTrue: boolean): Check => ({ statement, isTrue });

/** The agent requests a tool call, which then waits for an approval. */
export async function requestCall(
  { agent, organization, say }: Walk,
  what: string,
  call: { tool: string; arguments: object },
): Promise<PendingCall> {
  say(row('Tool call', `${call.tool}\n${JSON.stringify(call.arguments, null, 2)}`));
  const id = `${what.replaceAll(' ', '-')}-${Date.now().toString(36)}`;
  const task = await submitTask(agent, id, what, [{ data: call }], say);
  if (!task.approvalId) throw new Error(`no approval was requested: ${JSON.stringify(task)}`);
  const path = `/approvals/${task.approvalId}`;
  return { task, approvalId: task.approvalId, path, url: organization.baseUrl + path };
}
interface PendingCall {
  task: TaskResult;
  approvalId: string;
  path: string;
  url: string;
}

/** Waits while people act in a browser, or press a key with which the demo acts for them. */
export async function letPeopleAct<T>(
  { isUnattended, say }: Walk,
  { rows, act, done }: { rows: string[]; act: () => Promise<void>; done: () => Promise<T> },
): Promise<T> {
  if (isUnattended) {
    await act();
    return done();
  }
  for (const line of rows) say(line);
  say(row('In this terminal', 'or press D, and the demo does it'));
  const over = new AbortController();
  const actOnKey = async () => {
    while (await keyPress('d', over.signal))
      // somebody may have acted in a browser a moment before
      await act().catch((error: Error) => say(row('Not done', error.message)));
  };
  const [result] = await Promise.all([done().finally(() => over.abort()), actOnKey()]);
  return result;
}

/** For what leaves no trace on the server: waits until somebody has read the rows. */
export async function letPeopleRead({ isUnattended, say }: Walk, rows: string[], whatFollows: string): Promise<void> {
  if (isUnattended) return;
  for (const line of rows) say(line);
  say(row('In this terminal', `press D, and the demo ${whatFollows}`));
  await keyPress('d', new AbortController().signal);
}

export const signInRow = (label: string, { name, email, password }: Person): string =>
  row(label, `${name}: ${email}, password ${password}`);

interface ApprovalState {
  state: string;
  approvedBy: { name: string }[];
  /** The approval of the edited call, while it is pending. */
  successorId: string | null;
  callId: string;
  call: { arguments: string; argumentsHash: string; definitionHash: string };
}
export async function loadApproval({ browser }: Participant, id: string): Promise<ApprovalState> {
  const { approval } = await browser.graphql<{ approval: ApprovalState }>(
    `query ($id: ID!) { approval(id: $id) {
      state callId successorId approvedBy { name } call { arguments argumentsHash definitionHash } } }`,
    { id },
  );
  return approval;
}

/** Opens the approval's page and submits its form. */
export async function approveOnPage({ browser }: Participant, address: string): Promise<Page> {
  const after = await browser.submit(await browser.open(address), { decision: 'approve' });
  if (after.status >= 400) throw new Error(`the decision was refused: ${after.text}`);
  return after;
}

interface AuditEvent {
  id: string;
  kind: string;
  at: string;
  actor: { name: string };
  detail: Record<string, unknown>;
}
/** The audit events of an approval or a call, oldest first. */
export async function auditEventsOf({ ada }: Walk, subjectId: string): Promise<AuditEvent[]> {
  const { auditEvents } = await ada.browser.graphql<{ auditEvents: { nodes: AuditEvent[] } }>(
    'query ($subjectId: ID!) { auditEvents(subjectId: $subjectId, first: 100) { nodes { id kind at actor detail } } }',
    { subjectId },
  );
  return auditEvents.nodes.reverse();
}

/** The calls that reached the workplace with this text in their arguments. */
export async function arrivalsWith({ workplaceUrl }: Walk, text: string): Promise<Arrival[]> {
  const response = await fetch(new URL('/arrivals', workplaceUrl));
  const { arrivals } = (await response.json()) as { arrivals: Arrival[] };
  return arrivals.filter((arrival) => JSON.stringify(arrival.arguments).includes(text));
}
