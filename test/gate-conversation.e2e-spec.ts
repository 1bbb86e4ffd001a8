import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Conversation, ExecutionContext, OfferedTool, ToolResult } from '../src/connections/tools.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { BackgroundCallRunner } from '../src/gate/background-call-runner.service.js';
import { type CallOutcome, GateService } from '../src/gate/gate.service.js';
import { OwnCallsService } from '../src/gate/own-calls.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let owner: pg.Client;
let work: (context: ExecutionContext) => Promise<ToolResult>;

const tool = (name: string, effect: OfferedTool['effect']): OfferedTool => ({
  name: `desk__${name}`,
  connectionId: null,
  connectionSlug: 'desk',
  connectionRevision: 1,
  operation: 'tool',
  title: name,
  description: '',
  inputSchema: { type: 'object' },
  effect,
  definitionHash: name,
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
});
const textResult = (text: string): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: false,
  outside: false,
});

beforeAll(async () => {
  [server, workplace] = await Promise.all([
    testServer({ LIMIT_CALL_SECONDS: '1', LIMIT_QUESTION_SECONDS: '7' }),
    Workplace.start(),
  ]);
  server.app.get(ToolsService).registerProvider({
    slug: 'desk',
    tools: async () => [tool('look', 'read'), tool('write', 'write')],
    execute: (context) => work(context),
  });
  fixture = await GateFixture.create(server, workplace);
  await fixture.publish(`permit (principal, action, resource);`);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await workplace.stop();
});

/** A caller who answers after this time. */
const callerAnsweringAfter = (afterMs: number): Conversation => ({
  capabilities: { elicitation: { form: {} } },
  ask: (_requests, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ name: { action: 'accept', content: { name: 'Ada' } } }), afterMs);
      signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason as Error)));
    }),
  progress: () => undefined,
  log: () => undefined,
});
const question = { name: { method: 'elicitation/create' as const, params: { message: 'Who are you?' } } };
const askForName = async ({ conversation, signal }: ExecutionContext) => {
  const { name } = await conversation!.ask(question, signal);
  return textResult(`Hello ${(name.content as { name: string }).name}`);
};
const call = (
  name: string,
  more: { conversation?: Conversation; signal?: AbortSignal; arguments?: string } = {},
): Promise<CallOutcome> =>
  server.app.get(GateService).call(fixture.agent, {
    configurationId: fixture.configurationId,
    tool: `desk__${name}`,
    arguments: JSON.stringify({ nonce: newId() }),
    ...more,
  });
const executingUntil = async (): Promise<Date[]> =>
  (
    await owner.query<{ executing_until: Date }>(`select executing_until from tool_calls where state = 'executing'`)
  ).rows.map((row) => row.executing_until);
async function until(look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await pause(20)) if (await look()) return;
  throw new Error('condition not met in time');
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a call that asks its caller a question', () => {
  it('may exceed the call time limit by the time that the answer takes', async () => {
    work = askForName;
    await expect(call('write', { conversation: callerAnsweringAfter(2500) })).resolves.toMatchObject({
      state: 'succeeded',
      result: textResult('Hello Ada'),
    });
  });

  it('has only its remaining time after the answer', async () => {
    work = async (context) => {
      await askForName(context);
      return pause(3000).then(() => textResult('too late'));
    };
    await expect(call('write', { conversation: callerAnsweringAfter(100) })).resolves.toMatchObject({
      state: 'unsettled',
      reason: expect.stringContaining('did not answer in time'),
    });
  });

  it('renews its lease while it waits, and waits for the answer no longer than the limit', async () => {
    work = askForName;
    const made = call('look', { conversation: callerAnsweringAfter(60_000) });
    await until(async () => (await executingUntil()).length === 1);
    const [first] = await executingUntil();
    await until(async () => (await executingUntil())[0] > first);
    await expect(made).resolves.toMatchObject({ state: 'failed' });
  });

  it('stays unsettled if it was declared lost before the answer', async () => {
    work = async ({ conversation, signal }) => (await conversation!.ask(question, signal), textResult('done'));
    const made = call('write', { conversation: callerAnsweringAfter(60_000) });
    await until(async () => (await executingUntil()).length === 1);
    await owner.query(`update tool_calls set executing_until = now() - interval '1 second' where state = 'executing'`);
    await server.app.get(BackgroundCallRunner).sweepLapsed();
    await expect(made).resolves.toMatchObject({ state: 'unsettled' });
    expect(await executingUntil()).toEqual([]);
  });
});

describe('a caller who disconnects', () => {
  const forever = ({ signal }: ExecutionContext) =>
    new Promise<ToolResult>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

  it('cancels a read', async () => {
    work = forever;
    await expect(call('look', { signal: AbortSignal.timeout(100) })).resolves.toMatchObject({ state: 'failed' });
  });

  it('does not cancel a write', async () => {
    work = () => pause(400).then(() => textResult('done'));
    await expect(call('write', { signal: AbortSignal.timeout(100) })).resolves.toMatchObject({ state: 'succeeded' });
  });
});

describe('waiting for the end of a call', () => {
  const wait = (id: string, ms = 10_000) =>
    server.app.get(OwnCallsService).waitUntilSettled(fixture.agent, id, ms, new AbortController().signal);

  it('returns when a background job has ended the call', async () => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    work = async () => textResult('done');
    const waiting = await call('write');
    expect(waiting).toMatchObject({ state: 'awaiting_approval' });
    const ended = wait(waiting.callId);
    const { approvalId } = waiting as { approvalId: string };
    const reviewer = await fixture.principalOf(fixture.reviewer);
    await fixture.get(ApprovalsService).decide(reviewer, approvalId, 'approve');
    await expect(ended).resolves.toMatchObject({ state: 'succeeded', replayed: false, result: textResult('done') });
  });

  it('returns the pending state when the wait times out', async () => {
    const waiting = await call('write');
    await expect(wait(waiting.callId, 100)).resolves.toMatchObject({ state: 'awaiting_approval' });
  });

  it('is rejected for anyone but the caller', async () => {
    const waiting = await call('write');
    const other = await fixture.principalOf(fixture.reviewer);
    const { signal } = new AbortController();
    await expect(
      server.app.get(OwnCallsService).waitUntilSettled(other, waiting.callId, 100, signal),
    ).rejects.toMatchObject({
      code: 'call-not-found',
    });
  });
});
