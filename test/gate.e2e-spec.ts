import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { BackgroundCallRunner } from '../src/gate/background-call-runner.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import { StaleLease } from '../src/gate/gate.error.js';
import { type CallOutcome, GateService, type SettledCall } from '../src/gate/gate.service.js';
import type { Settlement, ToolCall } from '../src/gate/tool-call.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import type { Principal } from '../src/principal/principal.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type HeldTask, holdTask } from './kit/held-task.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let owner: pg.Client;
const settledCalls: SettledCall[] = [];

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ LIMIT_CALL_SECONDS: '3' }), Workplace.start()]);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  fixture = await GateFixture.create(server, workplace);
  server.app.get(GateService).onSettled((call) => void settledCalls.push(call));
});
afterEach(async () => {
  await workplace.clearFaults();
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await workplace.stop();
});

let count = 0;
const aTicket = (more: object = {}) => ({ title: `Conveyor ${++count} stands still`, ...more });
const aTask = () => holdTask(fixture);
/** Simulates another process that claims the task. */
async function claimed({ id, leaseEpoch }: HeldTask): Promise<HeldTask> {
  await change('update tasks set lease_epoch = lease_epoch + 1 where id = $1', [id]);
  return { id, leaseEpoch: leaseEpoch + 1, tainted: false };
}
const decide = async (outcome: CallOutcome, decision: 'approve' | 'deny' = 'approve', reason = 'Not now.') =>
  fixture
    .get(ApprovalsService)
    .decide(await fixture.principalOf(fixture.reviewer), approvalOf(outcome), decision, reason);
const approvalOf = (outcome: CallOutcome): string => {
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
};
const row = (callId: string, as: Principal = fixture.organization.system): Promise<ToolCall> =>
  fixture.get(CallsService).get(as, callId);
const arrivals = async (title: string) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);
const change = (sql: string, values: unknown[]) =>
  fixture.get(DatabaseService).tenant(fixture.organization.system, (tx) => runSql(tx, sql, values));
const events = async (callId: string) =>
  (await fixture.get(AuditLogService).list(fixture.organization.system, { first: 200 })).nodes
    .filter(({ subject }) => (subject as { id?: string } | null)?.id === callId)
    .reverse();
async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const found = await look();
    if (found) return found;
  }
  throw new Error('condition not met in time');
}
const settledAs = (callId: string, state: string) =>
  until(async () => settledCalls.find((call) => call.callId === callId && call.state === state));
const writesAllowed = `permit (principal, action in Action::"read", resource); permit (principal, action in Action::"write", resource);`;
const writesReviewed = `permit (principal, action in Action::"read", resource); @approval("review") permit (principal, action in Action::"write", resource);`;
const nothingWritten = `permit (principal, action in Action::"read", resource);`;
async function under<T>(policy: string, run: () => Promise<T>): Promise<T> {
  await fixture.publish(policy);
  try {
    return await run();
  } finally {
    await fixture.publish(writesReviewed);
  }
}

describe('a call that the policies allow', () => {
  it('runs immediately and is recorded before and after', async () => {
    const outcome = await fixture.call('get_ticket', { id: 'LAN-2291' });
    expect(outcome).toMatchObject({ state: 'succeeded', replayed: false, result: { isError: false, outside: true } });
    expect(await events(outcome.callId)).toMatchObject([
      {
        kind: 'call.started',
        actor: { kind: 'agent', surface: 'a2a' },
        detail: { effect: 'read', policyIds: ['reads'], policyRevision: 1, arguments: { id: '[text, 8]' } },
      },
      { kind: 'call.succeeded', detail: { attempt: 1, ms: expect.any(Number) } },
    ]);
  });

  it('stores its arguments sealed, and only a salted hash of them in the audit log', async () => {
    const outcome = await fixture.call('get_ticket', { id: 'MOS-1180' });
    const call = await row(outcome.callId);
    expect(call.argumentsSealed!.toString('latin1')).not.toContain('MOS-1180');
    const [{ detail }] = (await events(outcome.callId)) as unknown as [{ detail: { argumentsHash: string } }];
    expect(detail.argumentsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(detail.argumentsHash).not.toBe(call.argumentsHash!.toString('hex'));
    expect(JSON.stringify(await events(outcome.callId))).not.toContain('MOS-1180');
  });

  it('is a new call each time if it only reads', async () => {
    const [first, second] = [
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
    ];
    expect(second).toMatchObject({ state: 'succeeded', replayed: false });
    expect(second.callId).not.toBe(first.callId);
  });

  it('fails with the message of the connected system if that rejects it', async () => {
    const outcome = await fixture.call('get_ticket', { id: 'LAN-9999' });
    expect(outcome).toMatchObject({
      state: 'failed',
      code: 'upstream-failed',
      reason: expect.stringContaining('LAN-9999'),
    });
  });
});

describe('arguments', () => {
  it.each([
    ['invalid JSON', '{"id":', /too early/],
    ['a value that is not an object', '["LAN-2291"]', /JSON object/],
    ['a duplicate key', '{"id":"LAN-2291","id":"MOS-1180"}', /twice/],
    ['an integer that parsers read differently', '{"id":9007199254740993}', /integer/],
    ['a key with a special meaning in Cedar', '{"__extn":{"fn":"ip","arg":"x"}}', /__extn/],
    ['an unpaired surrogate', '{"id":"\\ud800"}', /surrogate/],
    ['a key that the schema does not allow', '{"id":"LAN-2291","x":1}', /not a property/],
    ['a wrong type', '{"id":2291}', /string/],
    ['a value that does not match the pattern', '{"id":"nonsense"}', /pattern/],
  ])('with %s are rejected and not sent', async (_, text, words) => {
    const before = (await workplace.arrivals()).length;
    const outcome = await fixture.call('get_ticket', text);
    expect(outcome).toMatchObject({ state: 'denied', code: 'invalid-arguments', reason: expect.stringMatching(words) });
    expect(await row(outcome.callId)).toMatchObject({ state: 'denied', code: 'invalid-arguments' });
    expect((await workplace.arrivals()).length).toBe(before);
  });

  it('are reported with a pointer for each fault', async () => {
    const outcome = await fixture.call('create_ticket', { title: 'ab', priority: 'now' });
    expect(outcome).toMatchObject({ faults: [{ pointer: '/title' }, { pointer: '/priority' }] });
  });
});

describe('a tool that does not exist for the caller', () => {
  it('gets the same error whether it is hidden or unknown', async () => {
    const hidden = await fixture.call('close_ticket', { id: 'LAN-2291', resolution: 'done' });
    const unknown = await fixture.call('no_such', {});
    expect(hidden).toMatchObject({
      state: 'denied',
      code: 'tool-not-found',
      reason: 'There is no tool "workplace__close_ticket" here.',
    });
    expect(unknown).toMatchObject({
      state: 'denied',
      code: 'tool-not-found',
      reason: 'There is no tool "workplace__no_such" here.',
    });
    expect(await row(hidden.callId)).toMatchObject({ code: 'policy-denied', effect: 'destructive' });
    expect(await fixture.call('close_ticket', { nonsense: 1 })).toMatchObject({ code: 'tool-not-found' });
  });

  it('is not listed', async () => {
    const listed = await fixture.get(GateService).list(fixture.agent, fixture.configurationId);
    const verdicts = Object.fromEntries(listed.map(({ name, verdict }) => [name, verdict]));
    expect(verdicts).toMatchObject({ workplace__get_ticket: 'allow', workplace__create_ticket: 'approval' });
    expect(verdicts).not.toHaveProperty('workplace__close_ticket');
  });

  it('can belong to another configuration, tenant or principal', async () => {
    const other = await GateFixture.create(server, workplace, { isAlone: true });
    const foreign = await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: other.agent });
    expect(foreign).toMatchObject({ state: 'denied', code: 'not-permitted' });
    const outsider = await fixture.principalOf(fixture.reviewer);
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: outsider })).toMatchObject({
      state: 'denied',
      code: 'not-permitted',
    });
    await expect(
      fixture
        .get(CallsService)
        .get(other.organization.system, (await fixture.call('get_ticket', { id: 'LAN-2291' })).callId),
    ).rejects.toMatchObject({ code: 'call-not-found' });
  });
});

describe('a call that waits for a person', () => {
  it('is executed exactly as requested when the caller repeats it after the approval', async () => {
    const task = await aTask();
    const ticket = aTicket({ priority: 'high' });
    const waiting = await fixture.call('create_ticket', ticket, { task });
    expect(waiting).toMatchObject({ state: 'awaiting_approval', selfApproved: false });
    expect(await fixture.call('create_ticket', { priority: 'high', title: ticket.title }, { task })).toMatchObject({
      state: 'awaiting_approval',
      callId: waiting.callId,
    });
    expect(await arrivals(ticket.title)).toEqual([]);

    await decide(waiting);
    expect(await settledAs(waiting.callId, 'approved')).toMatchObject({ taskId: task.id });
    const done = await fixture.call('create_ticket', ticket, { task });
    expect(done).toMatchObject({ state: 'succeeded', callId: waiting.callId, replayed: false });
    expect(await fixture.call('create_ticket', ticket, { task })).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: true,
    });
    expect(await arrivals(ticket.title)).toMatchObject([
      { tool: 'create_ticket', arguments: ticket, key: waiting.callId },
    ]);
    expect((await events(waiting.callId)).map(({ kind }) => kind)).toEqual([
      'call.requested',
      'call.started',
      'call.succeeded',
      'call.replayed',
    ]);
  });

  it('is executed in the background if it has no task, and its outcome is stored for the caller', async () => {
    const ticket = aTicket();
    const waiting = await fixture.call('create_ticket', ticket);
    await decide(waiting);
    await settledAs(waiting.callId, 'succeeded');
    expect(await fixture.call('create_ticket', ticket)).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: false,
      result: { isError: false },
    });
    expect(await fixture.call('create_ticket', ticket)).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: true,
    });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('notifies of a withdrawal in the background if the approved call may no longer run', async () => {
    const admin = await fixture.principalOf();
    const waiting = await fixture.call('create_ticket', aTicket());
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId); // so that the job does not run the call
    await decide(waiting);
    await settledAs(waiting.callId, 'approved');
    await under(nothingWritten, async () => {
      await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
      await fixture.get(BackgroundCallRunner).execute(fixture.organization.tenant.id, waiting.callId);
      expect(await row(waiting.callId)).toMatchObject({ state: 'denied' });
      await settledAs(waiting.callId, 'denied');
    });
  });

  it('is withdrawn with its task', async () => {
    const task = await aTask();
    const [waiting, approved] = [
      await fixture.call('create_ticket', aTicket(), { task }),
      await fixture.call('create_ticket', aTicket(), { task }),
    ];
    await decide(approved);
    const tenantId = fixture.organization.tenant.id;
    await fixture
      .get(DatabaseService)
      .tenant({ tenantId }, (tx) =>
        fixture.get(GateService).withdraw(tx, { tenantId, taskId: task.id }, 'the task was canceled'),
      );
    for (const { callId } of [waiting, approved])
      expect(await row(callId)).toMatchObject({ state: 'denied', reason: expect.stringContaining('canceled') });
    await expect(decide(waiting)).rejects.toMatchObject({ code: 'approval-decided' });
  });
});

describe('an unknown outcome', () => {
  /** The call arrives, but its answer is lost. */
  async function unsettled({ task = undefined as HeldTask | undefined } = {}) {
    const ticket = aTicket();
    const outcome = await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'drop', times: 1 });
      return fixture.call('create_ticket', ticket, { task });
    });
    expect(outcome).toMatchObject({ state: 'unsettled' });
    return { ticket, callId: outcome.callId };
  }
  const settle = async (callId: string, settlement: Settlement) =>
    fixture.get(CallsService).resolveOutcome(await fixture.principalOf(), callId, settlement);

  it('is never followed by an automatic retry, even if the caller repeats the call', async () => {
    const { ticket, callId } = await unsettled();
    await change(`update tool_calls set ended_at = ended_at - interval '1 day' where id = $1`, [callId]);
    await under(writesAllowed, async () =>
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'unsettled', callId }),
    );
    expect(await arrivals(ticket.title)).toHaveLength(1);
    expect((await events(callId)).map(({ kind }) => kind)).toEqual(['call.started', 'call.unsettled']);
  });

  it.each([
    ['happened', { state: 'succeeded', result: { content: [{ text: expect.stringContaining('took effect') }] } }],
    ['did_not_happen', { state: 'failed', reason: expect.stringContaining('did not take effect') }],
  ] as const)('is resolved by a person as %s', async (settlement, outcome) => {
    const { ticket, callId } = await unsettled();
    expect(await settle(callId, settlement)).toMatchObject({ settlement, settledBy: fixture.organization.admin.id });
    await settledAs(callId, outcome.state);
    await under(writesAllowed, async () =>
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ ...outcome, callId }),
    );
    await expect(settle(callId, settlement)).rejects.toMatchObject({ code: 'call-not-unsettled' });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('is followed by a rerun with the same idempotency key if a person requests it', async () => {
    const { ticket, callId } = await unsettled();
    await under(writesAllowed, async () => {
      await settle(callId, 'run_again');
      await settledAs(callId, 'succeeded');
    });
    expect((await arrivals(ticket.title)).map(({ key }) => key)).toEqual([callId, callId]);
    expect(await row(callId)).toMatchObject({ attempts: 2 });
  });

  it('cannot be resolved without the permission, without a session, or from another tenant', async () => {
    const { callId } = await unsettled();
    const calls = fixture.get(CallsService);
    const member = await fixture.principalOf(await fixture.organization.member());
    await expect(calls.resolveOutcome(member, callId, 'happened')).rejects.toMatchObject({ code: 'forbidden' });
    const token = { ...(await fixture.principalOf()), sessionId: undefined };
    await expect(calls.resolveOutcome(token, callId, 'happened')).rejects.toMatchObject({ code: 'session-required' });
    await expect(calls.resolveOutcome(fixture.agent, callId, 'happened')).rejects.toMatchObject({
      code: 'session-required',
    });
    const other = await GateFixture.create(server, workplace, { isAlone: true });
    await expect(calls.resolveOutcome(await other.principalOf(), callId, 'happened')).rejects.toMatchObject({
      code: 'call-not-found',
    });
  });

  it('is resolved through GraphQL in a session but not with an admin token', async () => {
    const { callId } = await unsettled();
    const mutation = `mutation ($input: ResolveToolCallInput!) { resolveToolCall(input: $input) { id state settlement settledBy } }`;
    const input = { id: callId, settlement: 'did_not_happen' };
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await fixture
      .get(AdminTokensService)
      .create(await fixture.principalOf(), { name: 'ci', expiresAt });
    expect((await fixture.organization.withToken(token)(mutation, { input })).code).toBe('unauthenticated');
    const member = await fixture.organization.as(await fixture.organization.member());
    expect((await member(mutation, { input })).code).toBe('forbidden');
    const admin = await fixture.organization.as();
    expect((await admin(mutation, { input: { ...input, settlement: 'maybe' } })).code).toBe('invalid-request');
    const { data } = await admin(mutation, { input });
    const settledBy = fixture.organization.admin.id;
    expect(data.resolveToolCall).toEqual({ id: callId, state: 'failed', settlement: 'did_not_happen', settledBy });
    expect((await admin(mutation, { input })).code).toBe('call-not-unsettled');
    expect((await events(callId)).at(-1)).toMatchObject({ kind: 'call.settled', actor: { memberId: settledBy } });
  });

  it('is resolved once, despite concurrent attempts', async () => {
    const { callId } = await unsettled();
    const tries = await Promise.allSettled([
      settle(callId, 'happened'),
      settle(callId, 'did_not_happen'),
      settle(callId, 'run_again'),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('results if the upstream does not answer in time', async () => {
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'hang-after', times: 1 });
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'unsettled' });
    });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('does not result if nothing was sent', async () => {
    await under(writesAllowed, async () => {
      await workplace.stop();
      expect(await fixture.call('create_ticket', aTicket())).toMatchObject({
        state: 'failed',
        code: 'upstream-failed',
      });
      await workplace.start();
    });
  });
});

describe('a process that dies', () => {
  /** The state after a kill between the commits of the attempt and of the outcome. */
  async function died(tool: string, args: object, task?: HeldTask) {
    const outcome = await fixture.call(tool, args, { task });
    await change(
      `update tool_calls set state = 'executing', ended_at = null, result_sealed = null, delivered_at = null,
                         executing_until = now() + interval '1 hour' where id = $1`,
      [outcome.callId],
    );
    return outcome.callId;
  }
  const lapse = (callId: string) =>
    change(`update tool_calls set executing_until = now() - interval '1 second' where id = $1`, [callId]);

  it('leaves a write unsettled, which is never repeated', async () => {
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      const callId = await died('create_ticket', ticket);
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'executing', callId });
      await lapse(callId);
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'unsettled', callId });
    });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('is detected in the background', async () => {
    const callId = await under(writesAllowed, () => died('create_ticket', aTicket()));
    await lapse(callId);
    await fixture.get(BackgroundCallRunner).sweepLapsed();
    expect(await row(callId)).toMatchObject({ state: 'unsettled' });
    await settledAs(callId, 'unsettled');
  });

  it('is detected immediately by the next lease of its task', async () => {
    const task = await aTask();
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      const callId = await died('create_ticket', ticket, task);
      expect(await fixture.call('create_ticket', ticket, { task: await claimed(task) })).toMatchObject({
        state: 'unsettled',
        callId,
      });
    });
  });

  it('between the outcome and the transcript gets the outcome of the write replayed, regardless of its age', async () => {
    const task = await aTask();
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      const { callId } = await fixture.call('create_ticket', ticket, { task, ref: '1-1' });
      // two identical calls of one turn were one call, and stay one
      expect(await fixture.call('create_ticket', ticket, { task, ref: '1-2' })).toMatchObject({
        callId,
        replayed: true,
      });
      await change(
        `update tool_calls set delivered_at = now() - interval '30 days', ended_at = now() - interval '30 days' where id = $1`,
        [callId],
      );
      const next = await claimed(task);
      for (const ref of ['1-1', '1-2'])
        expect(await fixture.call('create_ticket', ticket, { task: next, ref })).toMatchObject({
          state: 'succeeded',
          callId,
          replayed: true,
          result: { structured: expect.anything() },
        });
      expect(await arrivals(ticket.title)).toHaveLength(1);
      // the same call in a later turn is a new call
      const more = await fixture.call('create_ticket', ticket, { task: next, ref: '2-1' });
      expect(more.callId).not.toBe(callId);
      expect(await fixture.call('create_ticket', ticket, { task: next, ref: '1-1' })).toMatchObject({ callId });
    });
    expect(await arrivals(ticket.title)).toHaveLength(2);
  });

  it('does not repeat the write under a definition that was confirmed in the meantime', async () => {
    const task = await aTask();
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      const { callId } = await fixture.call('create_ticket', ticket, { task, ref: '1-1' });
      await change(`update tool_calls set definition_hash = repeat('0', 64), retry_key = null where id = $1`, [callId]);
      expect(await fixture.call('create_ticket', ticket, { task: await claimed(task), ref: '1-1' })).toMatchObject({
        callId,
        replayed: true,
      });
    });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('leaves a read that can run again', async () => {
    const callId = await died('get_ticket', { id: 'LAN-2291' });
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' })).toMatchObject({ state: 'succeeded' });
    await lapse(callId);
    await fixture.get(BackgroundCallRunner).sweepLapsed();
    expect(await row(callId)).toMatchObject({ state: 'failed' });
  });

  it('changes nothing if it resumes late', async () => {
    const task = await aTask();
    await fixture.call('get_ticket', { id: 'LAN-2291' }, { task: await claimed(task) });
    await expect(fixture.call('get_ticket', { id: 'LAN-2291' }, { task })).rejects.toBeInstanceOf(StaleLease);
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'slow', ms: 400, times: 1 });
      const late = fixture.call('create_ticket', ticket);
      const call = await until(async () => {
        const [found] = (await change(`select id, attempts from tool_calls where state = 'executing'`, [])) as {
          id: string;
        }[];
        return found;
      });
      await lapse(call.id);
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'unsettled', callId: call.id });
      expect(await late).toMatchObject({ state: 'unsettled', callId: call.id });
    });
  });

  it('before the commit of the attempt has sent nothing', async () => {
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      await withoutCommits('executing', () =>
        expect(fixture.call('create_ticket', ticket)).rejects.toThrow('the commit failed'),
      );
      expect(await arrivals(ticket.title)).toEqual([]);
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'succeeded', replayed: false });
    });
  });

  it('before the commit of the outcome has sent the call once and leaves it unsettled', async () => {
    const ticket = aTicket();
    await under(writesAllowed, async () => {
      await withoutCommits('succeeded', () =>
        expect(fixture.call('create_ticket', ticket)).rejects.toThrow('the commit failed'),
      );
      const executing = await fixture.call('create_ticket', ticket);
      expect(executing).toMatchObject({ state: 'executing' });
      await lapse(executing.callId);
      expect(await fixture.call('create_ticket', ticket)).toMatchObject({ state: 'unsettled' });
    });
    expect(await arrivals(ticket.title)).toHaveLength(1);
  });

  it('before the commit of a decision has decided nothing', async () => {
    const waiting = await fixture.call('create_ticket', aTicket());
    await withoutCommits('approved', () => expect(decide(waiting)).rejects.toThrow('the commit failed'));
    expect(await row(waiting.callId)).toMatchObject({ state: 'awaiting_approval' });
    expect(await decide(waiting)).toMatchObject({ state: 'approved' });
  });

  it('after a decision leaves a call that the sweep executes', async () => {
    const ticket = aTicket();
    const waiting = await fixture.call('create_ticket', ticket);
    // the decision is committed, but its job is lost
    await decide(waiting);
    await settledAs(waiting.callId, 'succeeded');
    await change(`update tool_calls set state = 'approved', ended_at = null, delivered_at = null where id = $1`, [
      waiting.callId,
    ]);
    await fixture.get(BackgroundCallRunner).sweepStranded();
    await until(async () => (await row(waiting.callId)).state === 'succeeded');
  });
});

/** During `run`, every transaction that puts a call into this state fails at COMMIT, as after a kill just before it. */
async function withoutCommits<T>(state: string, run: () => Promise<T>): Promise<T> {
  await owner.query(`
    create function no_commit() returns trigger language plpgsql as $$ begin raise exception 'the commit failed'; end $$;
    create constraint trigger no_commit after insert or update on tool_calls deferrable initially deferred
      for each row when (new.state = '${state}') execute function no_commit()`);
  try {
    return await run();
  } finally {
    await owner.query('drop trigger no_commit on tool_calls; drop function no_commit');
  }
}

describe('the kill switch', () => {
  const calls = async () => fixture.call('get_ticket', { id: 'LAN-2291' }, { task: await aTask() });
  const isPaused = { state: 'denied', code: 'paused' };

  it('stops calls of a tool', async () => {
    const admin = await fixture.principalOf();
    const tool = (await fixture.get(ToolsService).listOf(admin, fixture.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'get_ticket',
    )!;
    await fixture.get(ToolsService).pause(admin, tool.id);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ToolsService).resume(admin, tool.id);
    expect(await calls()).toMatchObject({ state: 'succeeded' });
  });

  it('stops calls of a connection', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
  });

  it('stops calls of a configuration', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConfigurationsService).pause(admin, fixture.configurationId);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ConfigurationsService).resume(admin, fixture.configurationId);
  });

  it('stops calls with a key', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(KeysService).pause(admin, fixture.agent.keyId!);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(KeysService).resume(admin, fixture.agent.keyId!);
  });

  it('stops calls of an organization', async () => {
    const other = await GateFixture.create(server, workplace, { isAlone: true });
    await other.get(TenantsService).pause(await other.principalOf());
    expect(await other.call('get_ticket', { id: 'LAN-2291' })).toMatchObject(isPaused);
  });

  it('delays an approved call until it is released', async () => {
    const admin = await fixture.principalOf();
    const ticket = aTicket();
    const waiting = await fixture.call('create_ticket', ticket);
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
    await decide(waiting);
    await settledAs(waiting.callId, 'approved');
    await fixture.get(BackgroundCallRunner).execute(fixture.organization.tenant.id, waiting.callId);
    expect(await row(waiting.callId)).toMatchObject({ state: 'approved' });
    await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
    await fixture.get(BackgroundCallRunner).sweepStranded();
    await settledAs(waiting.callId, 'succeeded');
  });

  it('is recorded once, not with every retry of a task', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
    const task = await aTask();
    const ids = new Set<string>();
    for (let again = 0; again < 3; again++)
      ids.add((await fixture.call('get_ticket', { id: 'LAN-2291' }, { task })).callId);
    await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
    expect(ids.size).toBe(1);
  });
});

describe('a person’s own call', () => {
  const confirmed = `permit (principal, action in Action::"read", resource);
    @approval("confirm") permit (principal, action in Action::"write", resource);`;
  let mine: Principal;
  let session: Principal;
  beforeAll(async () => {
    const admin = await fixture.principalOf();
    const group = await fixture.get(GroupsService).create(admin, 'Floor');
    await fixture
      .get(ConfigurationsService)
      .update(admin, { configurationId: fixture.configurationId, groupIds: [group.id] });
    session = await fixture.principalOf(await fixture.organization.member({ name: 'Fay Floor', groupIds: [group.id] }));
    mine = { ...session, sessionId: undefined, surface: 'api', scopes: ['api:read', 'api:write'] };
  });

  it('is confirmed only by that person, and marked as self-approved', async () => {
    await under(confirmed, async () => {
      const ticket = aTicket();
      const waiting = await fixture.call('create_ticket', ticket, { as: mine });
      expect(waiting).toMatchObject({ state: 'awaiting_approval', selfApproved: true });
      await expect(decide(waiting)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
      await fixture.get(ApprovalsService).decide(session, approvalOf(waiting), 'approve');
      await settledAs(waiting.callId, 'succeeded');
      expect(await arrivals(ticket.title)).toHaveLength(1);
    });
  });

  it('is reviewed by another member', async () => {
    const waiting = await fixture.call('create_ticket', aTicket(), { as: mine });
    expect(waiting).toMatchObject({ state: 'awaiting_approval', selfApproved: false });
    await expect(fixture.get(ApprovalsService).decide(session, approvalOf(waiting), 'approve')).rejects.toMatchObject({
      code: 'not-yours-to-decide',
    });
  });

  it('differs from the same call of an agent, or of the person through another surface', async () => {
    const ticket = aTicket();
    const calls = [
      await fixture.call('create_ticket', ticket),
      await fixture.call('create_ticket', ticket, { as: mine }),
      await fixture.call('create_ticket', ticket, { as: { ...mine, surface: 'cli' } }),
    ];
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
  });

  it('only runs reads if its scope is limited to reading', async () => {
    const reading: Principal = { ...mine, scopes: ['api:read'] };
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: reading })).toMatchObject({ state: 'succeeded' });
    expect(await fixture.call('create_ticket', aTicket(), { as: reading })).toMatchObject({ state: 'denied' });
  });

  it('is no longer possible after a suspension', async () => {
    const ticket = aTicket();
    const waiting = await fixture.call('create_ticket', ticket, { as: mine });
    await fixture.get(MemberStatusService).suspend(await fixture.principalOf(), mine.memberId!);
    expect(await decide(waiting)).toMatchObject({ state: 'void' });
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: mine })).toMatchObject({ code: 'not-permitted' });
    expect(await arrivals(ticket.title)).toEqual([]);
  });
});

describe('retention', () => {
  it('removes old calls with their salt, but no open call', async () => {
    const [old, recent] = [
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
    ];
    const waiting = await fixture.call('create_ticket', aTicket());
    await change(`update tool_calls set ended_at = now() - interval '91 days' where id = $1`, [old.callId]);
    await change(`update tool_calls set requested_at = now() - interval '91 days' where id = $1`, [waiting.callId]);
    await fixture.get(BackgroundCallRunner).sweepOld();
    await expect(row(old.callId)).rejects.toMatchObject({ code: 'call-not-found' });
    expect(await row(recent.callId)).toMatchObject({ state: 'succeeded' });
    expect(await row(waiting.callId)).toMatchObject({ state: 'awaiting_approval' });
    expect(await events(old.callId)).toHaveLength(2);
  });
});

describe('the limits of the gate', () => {
  it('block a tool in a task after three denials, but not in other tasks', async () => {
    const task = await aTask();
    const forbidding = `${writesReviewed} forbid (principal, action == Action::"workplace__create_ticket", resource) when { context.arguments.title like "Secret*" };`;
    await under(forbidding, async () => {
      for (const title of ['Secret one', 'Secret two', 'Secret three']) {
        expect(await fixture.call('create_ticket', { title }, { task })).toMatchObject({
          state: 'denied',
          code: 'policy-denied',
        });
      }
      expect(await fixture.call('create_ticket', aTicket(), { task })).toMatchObject({
        state: 'denied',
        code: 'policy-denied',
        reason: expect.stringContaining('3 times'),
      });
      expect(await fixture.call('create_ticket', aTicket(), { task: await aTask() })).toMatchObject({
        state: 'awaiting_approval',
      });
    });
  });

  it('let at most twenty calls of a caller wait for approval, despite concurrent calls', async () => {
    const other = await GateFixture.create(server, workplace);
    const outcomes = await Promise.all(Array.from({ length: 24 }, () => other.call('create_ticket', aTicket())));
    expect(outcomes.filter(({ state }) => state === 'awaiting_approval')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome.state === 'denied' && outcome.code === 'not-permitted')).toHaveLength(
      4,
    );
  });
});
