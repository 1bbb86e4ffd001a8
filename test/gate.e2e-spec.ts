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
import { newId } from '../src/platform/crypto/ids.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { MembersService } from '../src/access/members.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import type { Principal } from '../src/principal/principal.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let owner: pg.Client;
const told: SettledCall[] = [];

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ LIMIT_CALL_SECONDS: '3' }), Workplace.start()]);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  fixture = await GateFixture.create(server, workplace);
  server.app.get(GateService).onSettled((call) => void told.push(call));
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
/** A task that this test works on: nobody claims it before its lease runs out. */
async function aTask() {
  const id = newId();
  await change(
    `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, last_event, items, turns,
                        is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
     values ($1, $2, $3, $6, $4, $5, '{}', 'working', '{}', 1, 1, 0, false, false, now() + interval '1 hour', 1, 1, 0, now(), now())`,
    [fixture.organization.tenant.id, id, fixture.agentId, fixture.configurationId, fixture.agent.keyId, id],
  );
  return { id, leaseEpoch: 1, tainted: false };
}
/** Another process claims it. */
async function claimed({ id, leaseEpoch }: Task) {
  await change('update tasks set lease_epoch = lease_epoch + 1 where id = $1', [id]);
  return { id, leaseEpoch: leaseEpoch + 1, tainted: false };
}
type Task = Awaited<ReturnType<typeof aTask>>;
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
  fixture.get(DatabaseService).tenant(fixture.organization.system, (tx) => tx.query(sql, values));
const events = async (callId: string) =>
  (await fixture.get(AuditLogService).list(fixture.organization.system, { first: 200 })).nodes
    .filter(({ subject }) => (subject as { id?: string } | null)?.id === callId)
    .reverse();
async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const found = await look();
    if (found) return found;
  }
  throw new Error('nothing happened');
}
const settledAs = (callId: string, state: string) =>
  until(async () => told.find((call) => call.callId === callId && call.state === state));
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
  it('runs at once, and is on record before and after', async () => {
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

  it('keeps its arguments sealed, and only a salted hash of them in the log', async () => {
    const outcome = await fixture.call('get_ticket', { id: 'MOS-1180' });
    const call = await row(outcome.callId);
    expect(call.argumentsSealed!.toString('latin1')).not.toContain('MOS-1180');
    const [{ detail }] = (await events(outcome.callId)) as unknown as [{ detail: { argumentsHash: string } }];
    expect(detail.argumentsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(detail.argumentsHash).not.toBe(call.argumentsHash!.toString('hex'));
    expect(JSON.stringify(await events(outcome.callId))).not.toContain('MOS-1180');
  });

  it('is a new call each time it reads', async () => {
    const [first, second] = [
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
      await fixture.call('get_ticket', { id: 'LAN-2291' }),
    ];
    expect(second).toMatchObject({ state: 'succeeded', replayed: false });
    expect(second.callId).not.toBe(first.callId);
  });

  it('fails with the words of the connected system where that refuses', async () => {
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
    ['no JSON', '{"id":', /too early/],
    ['no object', '["LAN-2291"]', /JSON object/],
    ['a key twice', '{"id":"LAN-2291","id":"MOS-1180"}', /twice/],
    ['an integer that two readers take differently', '{"id":9007199254740993}', /integer/],
    ['a key that Cedar reads as something else', '{"__extn":{"fn":"ip","arg":"x"}}', /__extn/],
    ['half a character', '{"id":"\\ud800"}', /surrogate/],
    ['an unknown key of a closed schema', '{"id":"LAN-2291","x":1}', /not a property/],
    ['another type', '{"id":2291}', /string/],
    ['another form', '{"id":"nonsense"}', /pattern/],
  ])('with %s are refused, and nothing is sent', async (_, text, words) => {
    const before = (await workplace.arrivals()).length;
    const outcome = await fixture.call('get_ticket', text);
    expect(outcome).toMatchObject({ state: 'denied', code: 'invalid-arguments', reason: expect.stringMatching(words) });
    expect(await row(outcome.callId)).toMatchObject({ state: 'denied', code: 'invalid-arguments' });
    expect((await workplace.arrivals()).length).toBe(before);
  });

  it('carry a pointer for each fault', async () => {
    const outcome = await fixture.call('create_ticket', { title: 'ab', priority: 'now' });
    expect(outcome).toMatchObject({ faults: [{ pointer: '/title' }, { pointer: '/priority' }] });
  });
});

describe('a tool that does not exist for the caller', () => {
  it('is told in the same words whether hidden or unknown', async () => {
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

  it('is none of another configuration, tenant or principal', async () => {
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
  it('is executed once it is approved, exactly as it was asked for, by whoever asks for it again', async () => {
    const task = await aTask();
    const asked = aTicket({ priority: 'high' });
    const waiting = await fixture.call('create_ticket', asked, { task });
    expect(waiting).toMatchObject({ state: 'awaiting_approval', notFourEyes: false });
    expect(await fixture.call('create_ticket', { priority: 'high', title: asked.title }, { task })).toMatchObject({
      state: 'awaiting_approval',
      callId: waiting.callId,
    });
    expect(await arrivals(asked.title)).toEqual([]);

    await decide(waiting);
    expect(await settledAs(waiting.callId, 'approved')).toMatchObject({ taskId: task.id });
    const done = await fixture.call('create_ticket', asked, { task });
    expect(done).toMatchObject({ state: 'succeeded', callId: waiting.callId, replayed: false });
    expect(await fixture.call('create_ticket', asked, { task })).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: true,
    });
    expect(await arrivals(asked.title)).toMatchObject([
      { tool: 'create_ticket', arguments: asked, key: waiting.callId },
    ]);
    expect((await events(waiting.callId)).map(({ kind }) => kind)).toEqual([
      'call.requested',
      'call.started',
      'call.succeeded',
      'call.replayed',
    ]);
  });

  it('is executed in the background where it has no task, and its outcome kept for who asks', async () => {
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked);
    await decide(waiting);
    await settledAs(waiting.callId, 'succeeded');
    expect(await fixture.call('create_ticket', asked)).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: false,
      result: { isError: false },
    });
    expect(await fixture.call('create_ticket', asked)).toMatchObject({
      state: 'succeeded',
      callId: waiting.callId,
      replayed: true,
    });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('is executed once, however many ask at the same time', async () => {
    const task = await aTask();
    const asked = aTicket();
    const waiting = await Promise.all(Array.from({ length: 5 }, () => fixture.call('create_ticket', asked, { task })));
    expect(new Set(waiting.map(({ callId }) => callId)).size).toBe(1);
    await decide(waiting[0]);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => fixture.call('create_ticket', asked, { task })));
    expect(outcomes.filter(({ state, replayed }) => state === 'succeeded' && !replayed)).toHaveLength(1);
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('tells the agent why it was denied, and stays refused until something changed', async () => {
    const task = await aTask();
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { task });
    await decide(waiting, 'deny', 'The belt is serviced on Monday.');
    await settledAs(waiting.callId, 'denied');
    const denied = {
      state: 'denied',
      code: 'approval-denied',
      reason: expect.stringContaining('The belt is serviced on Monday.'),
    };
    expect(await fixture.call('create_ticket', asked, { task })).toMatchObject({
      ...denied,
      callId: waiting.callId,
      replayed: false,
    });
    expect(await fixture.call('create_ticket', asked, { task })).toMatchObject({
      ...denied,
      callId: waiting.callId,
      replayed: true,
    });

    await change(`update tool_calls set delivered_at = delivered_at - interval '11 minutes' where id = $1`, [
      waiting.callId,
    ]);
    const again = await fixture.call('create_ticket', asked, { task });
    expect(again).toMatchObject(denied);
    expect(again.callId).not.toBe(waiting.callId);

    await fixture.publish(`${writesReviewed} // said anew`);
    expect(await fixture.call('create_ticket', asked, { task })).toMatchObject({ state: 'awaiting_approval' });
    expect(await fixture.call('create_ticket', aTicket(), { task })).toMatchObject({ state: 'awaiting_approval' });
  });

  it('is denied when nobody decides in time', async () => {
    const task = await aTask();
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { task });
    await change(`update approvals set expires_at = now() - interval '1 second' where call_id = $1`, [waiting.callId]);
    await expect(decide(waiting)).rejects.toMatchObject({ code: 'approval-decided' });
    await settledAs(waiting.callId, 'denied');
    expect(await fixture.call('create_ticket', asked, { task })).toMatchObject({
      state: 'denied',
      code: 'approval-expired',
    });
  });

  it('fails at once where nobody may decide', async () => {
    const [other, asked] = [await GateFixture.create(server, workplace), aTicket()];
    await other.suspend(other.reviewer);
    expect(await other.call('create_ticket', asked)).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
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

describe('between approval and execution', () => {
  /** Approved and not yet executed. */
  async function approved() {
    const task = await aTask();
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { task });
    await decide(waiting);
    return { asked, callId: waiting.callId, again: () => fixture.call('create_ticket', asked, { task }) };
  }
  const nothingCame = async ({ asked, callId }: Awaited<ReturnType<typeof approved>>) => {
    expect(await arrivals(asked.title)).toEqual([]);
    expect(await row(callId)).not.toMatchObject({ state: 'succeeded' });
  };

  it('other arguments are another call', async () => {
    const task = await aTask();
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { task });
    await decide(waiting);
    const edited = await fixture.call('create_ticket', { ...asked, priority: 'urgent' }, { task });
    expect(edited).toMatchObject({ state: 'awaiting_approval' });
    expect(edited.callId).not.toBe(waiting.callId);
    expect(await arrivals(asked.title)).toEqual([]);
  });

  it('another task, agent or person does not carry the approval along', async () => {
    const one = await approved();
    expect(await fixture.call('create_ticket', one.asked, { task: await aTask() })).toMatchObject({
      state: 'awaiting_approval',
    });
    await nothingCame(one);
  });

  it('stored bytes that were tampered with do not run', async () => {
    const waiting = await fixture.call('create_ticket', aTicket());
    const other = await fixture.call('create_ticket', aTicket());
    await change(
      `update tool_calls set arguments_sealed = (select arguments_sealed from tool_calls where id = $2) where id = $1`,
      [waiting.callId, other.callId],
    );
    expect(await decide(waiting)).toMatchObject({ state: 'void' });
    expect(await row(waiting.callId)).toMatchObject({ state: 'denied' });
  });

  it('a policy that forbids by now has the last word', async () => {
    const one = await approved();
    await under(nothingWritten, async () =>
      expect(await one.again()).toMatchObject({ state: 'denied', code: 'tool-not-found' }),
    );
    await nothingCame(one);
  });

  it('a decision and a publication at the same time leave nothing that runs under neither', async () => {
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked);
    await Promise.allSettled([decide(waiting), fixture.publish(nothingWritten)]);
    await until(
      async () => !['awaiting_approval', 'approved', 'executing'].includes((await row(waiting.callId)).state),
    );
    await fixture.publish(writesReviewed);
    const call = await row(waiting.callId);
    const [started] = (await events(waiting.callId)).filter(({ kind }) => kind === 'call.started');
    expect(call.state === 'succeeded').toBe(started !== undefined);
    expect(await arrivals(asked.title)).toHaveLength(started ? 1 : 0);
  });

  it('publishing voids what waits, unless the same steps are asked for', async () => {
    const task = await aTask();
    const waiting = await fixture.call('create_ticket', aTicket(), { task });
    await fixture.publish(`${writesReviewed} // the same`);
    expect(await row(waiting.callId)).toMatchObject({ state: 'awaiting_approval' });
    await under(writesAllowed, async () =>
      expect(await row(waiting.callId)).toMatchObject({ state: 'denied', retryKey: null }),
    );
    await expect(decide(waiting)).rejects.toMatchObject({ code: 'approval-decided' });
  });

  it('a voter who was suspended meanwhile does not count', async () => {
    const voter = await fixture.organization.member({ name: 'Vic Voter', roles: ['admin'] });
    const one = await (async () => {
      const task = await aTask();
      const asked = aTicket();
      const waiting = await fixture.call('create_ticket', asked, { task });
      await fixture.get(ApprovalsService).decide(await fixture.principalOf(voter), approvalOf(waiting), 'approve');
      return { asked, callId: waiting.callId, again: () => fixture.call('create_ticket', asked, { task }) };
    })();
    await fixture.suspend(voter);
    const again = await one.again();
    expect(again).toMatchObject({ state: 'awaiting_approval' });
    expect(again.callId).not.toBe(one.callId);
    expect(await row(one.callId)).toMatchObject({ state: 'denied', code: 'approval-denied' });
    await nothingCame(one);
  });

  it('whoever was shown the key since then does not count either', async () => {
    const one = await approved();
    await change(
      'insert into key_reveals (tenant_id, id, key_id, member_id, revealed_at) values ($1, $2, $3, $4, now())',
      [fixture.organization.tenant.id, newId(), fixture.agent.keyId, fixture.reviewer.id],
    );
    try {
      expect(await one.again()).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
      await nothingCame(one);
    } finally {
      await owner.query('delete from key_reveals where member_id = $1', [fixture.reviewer.id]);
    }
  });

  it('a revoked key runs nothing', async () => {
    const admin = await fixture.principalOf();
    const { a2aKey } = await fixture.get(KeysService).create(admin, fixture.agentId);
    const agent = { ...fixture.agent, keyId: a2aKey.id };
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { as: agent });
    await fixture.get(KeysService).revoke(admin, a2aKey.id);
    await expect(decide(waiting)).resolves.toMatchObject({ state: 'void' });
    expect(await row(waiting.callId)).toMatchObject({ state: 'denied' });
    expect(await arrivals(asked.title)).toEqual([]);
  });

  it('a connection that was set up anew needs a new approval', async () => {
    const one = await approved();
    const admin = await fixture.principalOf();
    const connection = await fixture.get(ConnectionsService).get(admin, fixture.connectionId);
    await fixture
      .get(ConnectionsService)
      .update(admin, { id: connection.id, revision: connection.revision, settings: { timeoutSeconds: 6 } });
    const again = await one.again();
    expect(again).toMatchObject({ state: 'awaiting_approval' });
    expect(again.callId).not.toBe(one.callId);
    await nothingCame(one);
  });

  it('another system under the same names needs an approval of its own', async () => {
    const [other, elsewhere] = [await GateFixture.create(server, workplace), await Workplace.start()];
    const admin = await other.principalOf();
    const asked = aTicket();
    const waiting = await other.call('create_ticket', asked);
    await other.get(ConnectionsService).pause(admin, other.connectionId); // so that the job leaves it
    await other.get(ApprovalsService).decide(await other.principalOf(other.reviewer), approvalOf(waiting), 'approve');
    await settledAs(waiting.callId, 'approved');
    await other.get(ConnectionsService).remove(admin, other.connectionId);
    const { id } = await other.get(ConnectionsService).create(admin, {
      kind: 'mcp',
      name: 'Elsewhere',
      slug: 'workplace',
      settings: { url: elsewhere.url, timeoutSeconds: 5 },
      secrets: {},
    });
    await other
      .get(ConfigurationsService)
      .update(admin, { configurationId: other.configurationId, connectionIds: [id] });
    const again = await other.call('create_ticket', asked);
    expect(again).toMatchObject({ state: 'awaiting_approval' });
    expect(again.callId).not.toBe(waiting.callId);
    expect([...(await elsewhere.arrivals()), ...(await arrivals(asked.title))]).toEqual([]);
    await elsewhere.stop();
  });

  it('a tool whose definition changed is held back', async () => {
    const one = await approved();
    await workplace.fail({ fault: 'change-tools', on: 'everything' });
    await change(`update tools set seen_at = now() - interval '1 hour' where name = 'workplace__create_ticket'`, []);
    const outcome = await one.again();
    expect(outcome).toMatchObject({ state: 'failed', reason: expect.stringContaining('definition') });
    expect(await one.again()).toMatchObject({ state: 'denied', code: 'paused' });
    await nothingCame(one);
    await workplace.clearFaults();
    const admin = await fixture.principalOf();
    await fixture.get(ConnectionsService).verify(admin, fixture.connectionId);
  });
});

describe('an outcome that nobody knows', () => {
  /** The call arrived, its answer did not. */
  async function unsettled({ task = undefined as Task | undefined } = {}) {
    const asked = aTicket();
    const outcome = await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'drop', times: 1 });
      return fixture.call('create_ticket', asked, { task });
    });
    expect(outcome).toMatchObject({ state: 'unsettled' });
    return { asked, callId: outcome.callId };
  }
  const settle = async (callId: string, settlement: Settlement) =>
    fixture.get(GateService).resolveOutcome(await fixture.principalOf(), callId, settlement);

  it('is not repeated by itself, whoever asks', async () => {
    const { asked, callId } = await unsettled();
    await change(`update tool_calls set ended_at = ended_at - interval '1 day' where id = $1`, [callId]);
    await under(writesAllowed, async () =>
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'unsettled', callId }),
    );
    expect(await arrivals(asked.title)).toHaveLength(1);
    expect((await events(callId)).map(({ kind }) => kind)).toEqual(['call.started', 'call.unsettled']);
  });

  it.each([
    ['happened', { state: 'succeeded', result: { content: [{ text: expect.stringContaining('took effect') }] } }],
    ['did_not_happen', { state: 'failed', reason: expect.stringContaining('did not take effect') }],
  ] as const)('is settled by a person: %s', async (settlement, outcome) => {
    const { asked, callId } = await unsettled();
    expect(await settle(callId, settlement)).toMatchObject({ settlement, settledBy: fixture.organization.admin.id });
    await settledAs(callId, outcome.state);
    await under(writesAllowed, async () =>
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ ...outcome, callId }),
    );
    await expect(settle(callId, settlement)).rejects.toMatchObject({ code: 'call-not-unsettled' });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('is sent again when a person says so, under the same idempotency key', async () => {
    const { asked, callId } = await unsettled();
    await under(writesAllowed, async () => {
      await settle(callId, 'run_again');
      await settledAs(callId, 'succeeded');
    });
    expect((await arrivals(asked.title)).map(({ key }) => key)).toEqual([callId, callId]);
    expect(await row(callId)).toMatchObject({ attempts: 2 });
  });

  it('is settled by nobody without the permission, without a session, or of another tenant', async () => {
    const { callId } = await unsettled();
    const gate = fixture.get(GateService);
    const member = await fixture.principalOf(await fixture.organization.member());
    await expect(gate.resolveOutcome(member, callId, 'happened')).rejects.toMatchObject({ code: 'forbidden' });
    const token = { ...(await fixture.principalOf()), sessionId: undefined };
    await expect(gate.resolveOutcome(token, callId, 'happened')).rejects.toMatchObject({ code: 'session-required' });
    await expect(gate.resolveOutcome(fixture.agent, callId, 'happened')).rejects.toMatchObject({
      code: 'session-required',
    });
    const other = await GateFixture.create(server, workplace, { isAlone: true });
    await expect(gate.resolveOutcome(await other.principalOf(), callId, 'happened')).rejects.toMatchObject({
      code: 'call-not-found',
    });
  });

  it('is settled by GraphQL in a session, and by no admin token', async () => {
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

  it('is settled once, however many try at the same time', async () => {
    const { callId } = await unsettled();
    const tries = await Promise.allSettled([
      settle(callId, 'happened'),
      settle(callId, 'did_not_happen'),
      settle(callId, 'run_again'),
    ]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('of an upstream that does not answer in time is not known', async () => {
    const asked = aTicket();
    await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'hang-after', times: 1 });
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'unsettled' });
    });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('is none where nothing was sent', async () => {
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
  /** As it is found after a kill between the attempt's commit and the outcome's. */
  async function died(tool: string, args: object, task?: Task) {
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

  it('leaves a write that nobody repeats', async () => {
    const asked = aTicket();
    await under(writesAllowed, async () => {
      const callId = await died('create_ticket', asked);
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'executing', callId });
      await lapse(callId);
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'unsettled', callId });
    });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('is noticed even if nobody asks', async () => {
    const callId = await under(writesAllowed, () => died('create_ticket', aTicket()));
    await lapse(callId);
    await fixture.get(BackgroundCallRunner).sweepLapsed();
    expect(await row(callId)).toMatchObject({ state: 'unsettled' });
    await settledAs(callId, 'unsettled');
  });

  it('with a task is found out by the next lease at once', async () => {
    const task = await aTask();
    const asked = aTicket();
    await under(writesAllowed, async () => {
      const callId = await died('create_ticket', asked, task);
      expect(await fixture.call('create_ticket', asked, { task: await claimed(task) })).toMatchObject({
        state: 'unsettled',
        callId,
      });
    });
  });

  it('between the outcome and the transcript is told of the write, however late it is asked for again', async () => {
    const task = await aTask();
    const asked = aTicket();
    await under(writesAllowed, async () => {
      const { callId } = await fixture.call('create_ticket', asked, { task, ref: '1-1' });
      // the same thing asked for twice in one turn was one call, and stays one
      expect(await fixture.call('create_ticket', asked, { task, ref: '1-2' })).toMatchObject({
        callId,
        replayed: true,
      });
      await change(
        `update tool_calls set delivered_at = now() - interval '30 days', ended_at = now() - interval '30 days' where id = $1`,
        [callId],
      );
      const next = await claimed(task);
      for (const ref of ['1-1', '1-2'])
        expect(await fixture.call('create_ticket', asked, { task: next, ref })).toMatchObject({
          state: 'succeeded',
          callId,
          replayed: true,
          result: { structured: expect.anything() },
        });
      expect(await arrivals(asked.title)).toHaveLength(1);
      // a later turn that wants it once more is another matter
      const more = await fixture.call('create_ticket', asked, { task: next, ref: '2-1' });
      expect(more.callId).not.toBe(callId);
      expect(await fixture.call('create_ticket', asked, { task: next, ref: '1-1' })).toMatchObject({ callId });
    });
    expect(await arrivals(asked.title)).toHaveLength(2);
  });

  it('does not repeat the write under a definition that was confirmed in the meantime', async () => {
    const task = await aTask();
    const asked = aTicket();
    await under(writesAllowed, async () => {
      const { callId } = await fixture.call('create_ticket', asked, { task, ref: '1-1' });
      await change(`update tool_calls set definition_hash = repeat('0', 64), retry_key = null where id = $1`, [callId]);
      expect(await fixture.call('create_ticket', asked, { task: await claimed(task), ref: '1-1' })).toMatchObject({
        callId,
        replayed: true,
      });
    });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('leaves a read that is run again', async () => {
    const callId = await died('get_ticket', { id: 'LAN-2291' });
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' })).toMatchObject({ state: 'succeeded' });
    await lapse(callId);
    await fixture.get(BackgroundCallRunner).sweepLapsed();
    expect(await row(callId)).toMatchObject({ state: 'failed' });
  });

  it('and wakes late changes nothing', async () => {
    const task = await aTask();
    await fixture.call('get_ticket', { id: 'LAN-2291' }, { task: await claimed(task) });
    await expect(fixture.call('get_ticket', { id: 'LAN-2291' }, { task })).rejects.toBeInstanceOf(StaleLease);
    const asked = aTicket();
    await under(writesAllowed, async () => {
      await workplace.fail({ fault: 'slow', ms: 400, times: 1 });
      const late = fixture.call('create_ticket', asked);
      const call = await until(async () => {
        const [found] = (await change(`select id, attempts from tool_calls where state = 'executing'`, [])) as {
          id: string;
        }[];
        return found;
      });
      await lapse(call.id);
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'unsettled', callId: call.id });
      expect(await late).toMatchObject({ state: 'unsettled', callId: call.id });
    });
  });

  it('before the attempt is committed has sent nothing', async () => {
    const asked = aTicket();
    await under(writesAllowed, async () => {
      await withoutCommits('executing', () =>
        expect(fixture.call('create_ticket', asked)).rejects.toThrow('the commit failed'),
      );
      expect(await arrivals(asked.title)).toEqual([]);
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'succeeded', replayed: false });
    });
  });

  it('before the outcome is committed has sent once, and it is unsettled', async () => {
    const asked = aTicket();
    await under(writesAllowed, async () => {
      await withoutCommits('succeeded', () =>
        expect(fixture.call('create_ticket', asked)).rejects.toThrow('the commit failed'),
      );
      const executing = await fixture.call('create_ticket', asked);
      expect(executing).toMatchObject({ state: 'executing' });
      await lapse(executing.callId);
      expect(await fixture.call('create_ticket', asked)).toMatchObject({ state: 'unsettled' });
    });
    expect(await arrivals(asked.title)).toHaveLength(1);
  });

  it('before a decision is committed has decided nothing', async () => {
    const waiting = await fixture.call('create_ticket', aTicket());
    await withoutCommits('approved', () => expect(decide(waiting)).rejects.toThrow('the commit failed'));
    expect(await row(waiting.callId)).toMatchObject({ state: 'awaiting_approval' });
    expect(await decide(waiting)).toMatchObject({ state: 'approved' });
  });

  it('after a decision leaves a job that executes it', async () => {
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked);
    // the decision is committed and its job lost
    await decide(waiting);
    await settledAs(waiting.callId, 'succeeded');
    await change(`update tool_calls set state = 'approved', ended_at = null, delivered_at = null where id = $1`, [
      waiting.callId,
    ]);
    await fixture.get(BackgroundCallRunner).sweepStranded();
    await until(async () => (await row(waiting.callId)).state === 'succeeded');
  });
});

/** While `run` runs, no transaction that moves a call into this state comes through its COMMIT: as after a kill just before it. */
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

  it('stops a tool', async () => {
    const admin = await fixture.principalOf();
    const tool = (await fixture.get(ToolsService).listOf(admin, fixture.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'get_ticket',
    )!;
    await fixture.get(ToolsService).pause(admin, tool.id);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ToolsService).resume(admin, tool.id);
    expect(await calls()).toMatchObject({ state: 'succeeded' });
  });

  it('stops a connection', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
  });

  it('stops a configuration', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConfigurationsService).pause(admin, fixture.configurationId);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(ConfigurationsService).resume(admin, fixture.configurationId);
  });

  it('stops a key', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(KeysService).pause(admin, fixture.agent.keyId!);
    expect(await calls()).toMatchObject(isPaused);
    await fixture.get(KeysService).resume(admin, fixture.agent.keyId!);
  });

  it('stops an organization', async () => {
    const other = await GateFixture.create(server, workplace, { isAlone: true });
    await other.get(TenantsService).pause(await other.principalOf());
    expect(await other.call('get_ticket', { id: 'LAN-2291' })).toMatchObject(isPaused);
  });

  it('lets an approved call wait, and go on afterwards', async () => {
    const admin = await fixture.principalOf();
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked);
    await fixture.get(ConnectionsService).pause(admin, fixture.connectionId);
    await decide(waiting);
    await settledAs(waiting.callId, 'approved');
    await fixture.get(BackgroundCallRunner).execute(fixture.organization.tenant.id, waiting.callId);
    expect(await row(waiting.callId)).toMatchObject({ state: 'approved' });
    await fixture.get(ConnectionsService).resume(admin, fixture.connectionId);
    await fixture.get(BackgroundCallRunner).sweepStranded();
    await settledAs(waiting.callId, 'succeeded');
  });

  it('is written down once, not with every retry of a task', async () => {
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

  it('is confirmed by that person and by nobody else, and marked as one signature', async () => {
    await under(confirmed, async () => {
      const asked = aTicket();
      const waiting = await fixture.call('create_ticket', asked, { as: mine });
      expect(waiting).toMatchObject({ state: 'awaiting_approval', notFourEyes: true });
      await expect(decide(waiting)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
      await fixture.get(ApprovalsService).decide(session, approvalOf(waiting), 'approve');
      await settledAs(waiting.callId, 'succeeded');
      expect(await arrivals(asked.title)).toHaveLength(1);
    });
  });

  it('is reviewed by somebody else', async () => {
    const waiting = await fixture.call('create_ticket', aTicket(), { as: mine });
    expect(waiting).toMatchObject({ state: 'awaiting_approval', notFourEyes: false });
    await expect(fixture.get(ApprovalsService).decide(session, approvalOf(waiting), 'approve')).rejects.toMatchObject({
      code: 'not-yours-to-decide',
    });
  });

  it('is not the same as an agent’s, or as the same person’s through another client', async () => {
    const asked = aTicket();
    const calls = [
      await fixture.call('create_ticket', asked),
      await fixture.call('create_ticket', asked, { as: mine }),
      await fixture.call('create_ticket', asked, { as: { ...mine, surface: 'cli' } }),
    ];
    expect(new Set(calls.map(({ callId }) => callId)).size).toBe(3);
  });

  it('runs only what reads where the scope says so', async () => {
    const reading: Principal = { ...mine, scopes: ['api:read'] };
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: reading })).toMatchObject({ state: 'succeeded' });
    expect(await fixture.call('create_ticket', aTicket(), { as: reading })).toMatchObject({ state: 'denied' });
  });

  it('ends with the membership', async () => {
    const asked = aTicket();
    const waiting = await fixture.call('create_ticket', asked, { as: mine });
    await fixture.get(MembersService).suspend(await fixture.principalOf(), mine.memberId!);
    expect(await decide(waiting)).toMatchObject({ state: 'void' });
    expect(await fixture.call('get_ticket', { id: 'LAN-2291' }, { as: mine })).toMatchObject({ code: 'not-permitted' });
    expect(await arrivals(asked.title)).toEqual([]);
  });
});

describe('retention', () => {
  it('removes old calls with their salt, and none that is still open', async () => {
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

describe('limits', () => {
  it('three denials of a tool end its use in the task, and in no other', async () => {
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

  it('twenty calls of one caller wait, even if more ask at the same time', async () => {
    const other = await GateFixture.create(server, workplace);
    const outcomes = await Promise.all(Array.from({ length: 24 }, () => other.call('create_ticket', aTicket())));
    expect(outcomes.filter(({ state }) => state === 'awaiting_approval')).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome.state === 'denied' && outcome.code === 'not-permitted')).toHaveLength(
      4,
    );
  });
});
