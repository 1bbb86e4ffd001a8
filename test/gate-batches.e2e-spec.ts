import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { AgentsService } from '../src/configurations/agents.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { StaleLease } from '../src/gate/gate.error.js';
import { type CallOutcome } from '../src/gate/gate.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Principal } from '../src/principal/principal.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let owner: pg.Client;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  fixture = await GateFixture.create(server, workplace);
  await fixture.publish(
    `permit (principal, action in Action::"read", resource); permit (principal, action in Action::"write", resource);
     @approval("review") permit (principal, action == Action::"workplace__comment_ticket", resource);`,
  );
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await workplace.stop();
});

let count = 0;
const aTicket = () => ({ title: `Belt ${++count} squeaks` });
const arrivals = async (title: string) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);
const tx = (sql: string, values: unknown[]) =>
  fixture
    .get(DatabaseService)
    .tenant(fixture.organization.system, (own) => runSql<Record<string, unknown>>(own, sql, values));
async function aTask() {
  const id = newId();
  await tx(
    `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, last_event, items, turns,
                        is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
     values ($1, $2, $3, $6, $4, $5, '{}', 'working', '{}', 1, 1, 0, false, false, now() + interval '1 hour', 1, 1, 0, now(), now())`,
    [fixture.organization.tenant.id, id, fixture.agentId, fixture.configurationId, fixture.agent.keyId, id],
  );
  return { id, leaseEpoch: 1, tainted: false };
}
/** The number of transactions that committed the attempts. */
async function transactions(outcomes: CallOutcome[]): Promise<number> {
  const ids = outcomes.map(({ callId }) => callId);
  const rows = await tx(
    `select distinct xmin::text from audit_events where kind = 'call.started' and subject ->> 'id' = any ($1)`,
    [ids],
  );
  return rows.length;
}
const get = (id: string, options: Parameters<GateFixture['call']>[2] = {}) =>
  fixture.call('get_ticket', { id }, options);

describe('concurrent calls', () => {
  it('are admitted in one transaction, each with its own record', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => get('LAN-2291')));
    expect(outcomes.map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(new Set(outcomes.map(({ callId }) => callId)).size).toBe(3);
    expect(await transactions(outcomes)).toBe(1);
  });

  it('are unaffected by calls that are denied or need approval', async () => {
    const outcomes = await Promise.all([
      get('LAN-2291'),
      fixture.call('get_ticket', { id: 7 }),
      fixture.call('close_ticket', { id: 'LAN-2291', resolution: 'Oiled' }),
      fixture.call('no_such_tool', {}),
      fixture.call('comment_ticket', { id: 'LAN-2291', text: 'Me too' }),
      get('LAN-2291'),
    ]);
    expect(outcomes).toMatchObject([
      { state: 'succeeded' },
      { state: 'denied', code: 'invalid-arguments' },
      { state: 'denied', code: 'tool-not-found' },
      { state: 'denied', code: 'tool-not-found' },
      { state: 'awaiting_approval' },
      { state: 'succeeded' },
    ]);
    expect(await transactions([outcomes[0], outcomes[5]])).toBe(1);
  });

  it('are one call if they write the same', async () => {
    const ticket = aTicket();
    const outcomes = await Promise.all([1, 2, 3].map(() => fixture.call('create_ticket', ticket)));
    expect(await arrivals(ticket.title)).toHaveLength(1);
    expect(new Set(outcomes.map(({ callId }) => callId)).size).toBe(1);
    expect(outcomes.map(({ state }) => state)).toContain('succeeded');
  });

  it('are decided separately for each caller', async () => {
    const admin = await fixture.principalOf();
    const { a2aKey } = await fixture.get(KeysService).create(admin, fixture.agentId);
    const spare: Principal = { ...fixture.agent, keyId: a2aKey.id };
    const { id: agentId } = await fixture
      .get(AgentsService)
      .create(admin, { configurationId: fixture.configurationId, name: 'Other' });
    const { a2aKey: otherKey } = await fixture.get(KeysService).create(admin, agentId);
    const other: Principal = { ...fixture.agent, agentId, keyId: otherKey.id, name: 'Other' };
    await fixture.get(KeysService).revoke(admin, a2aKey.id);
    const outcomes = await Promise.all([
      get('LAN-2291', { as: spare }),
      get('LAN-2291'),
      get('LAN-2291', { as: other }),
      get('LAN-2291', { as: { ...other, configurationId: newId() } }),
    ]);
    expect(outcomes).toMatchObject([
      { state: 'denied', code: 'not-permitted' },
      { state: 'succeeded' },
      { state: 'succeeded' },
      { state: 'denied', code: 'not-permitted' },
    ]);
  });

  it('are rejected for a task that another process has taken over, and run for the others', async () => {
    const [held, lost] = [await aTask(), await aTask()];
    await tx('update tasks set lease_epoch = 2 where id = $1', [lost.id]);
    const tickets = [aTicket(), aTicket(), aTicket()];
    const outcomes = await Promise.allSettled([
      fixture.call('create_ticket', tickets[0], { task: held }),
      fixture.call('create_ticket', tickets[1], { task: lost }),
      fixture.call('create_ticket', tickets[2]),
    ]);
    expect(outcomes).toMatchObject([
      { value: { state: 'succeeded' } },
      { reason: expect.any(StaleLease) },
      { value: { state: 'succeeded' } },
    ]);
    expect(await arrivals(tickets[1].title)).toEqual([]);
    expect(await tx('select 1 from tool_calls where task_id = $1', [lost.id])).toEqual([]);
  });

  it('are admitted one by one if the database rejects the batch', async () => {
    await owner.query(`
      create function refuse_poison() returns trigger language plpgsql as $$ begin raise exception 'poison'; end $$;
      create constraint trigger refuse_poison after insert on tool_calls deferrable initially deferred
      for each row when (new.call_refs = '{poison}') execute function refuse_poison()`);
    try {
      const tasks = [await aTask(), await aTask(), await aTask()]; // created before a call can fail
      const outcomes = await Promise.allSettled([
        get('LAN-2291', { task: tasks[0] }),
        get('LAN-2291', { task: tasks[1], ref: 'poison' }),
        get('LAN-2291', { task: tasks[2] }),
      ]);
      expect(outcomes).toMatchObject([
        { value: { state: 'succeeded' } },
        { reason: { message: 'poison' } },
        { value: { state: 'succeeded' } },
      ]);
    } finally {
      await owner.query('drop function refuse_poison cascade');
    }
  });
});

describe('concurrent outcomes', () => {
  it('are recorded, except for an attempt that was declared lost', async () => {
    const tickets = [aTicket(), aTicket()];
    await workplace.fail({ fault: 'slow', ms: 3000, times: 2 });
    const calls = tickets.map((ticket) => fixture.call('create_ticket', ticket));
    await expect.poll(() => tx(`select 1 from tool_calls where state = 'executing'`, [])).toHaveLength(2);
    const [taken] = await tx(
      `update tool_calls set state = 'unsettled', executing_until = null, ended_at = now(), reason = 'lost' where id in
         (select id from tool_calls where state = 'executing' order by id limit 1) returning id`,
      [],
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.map(({ state }) => state).sort()).toEqual(['succeeded', 'unsettled']);
    expect(outcomes.find(({ state }) => state === 'unsettled')).toMatchObject({ callId: taken.id });
    await workplace.clearFaults();
  });
});
