import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { GateFixture } from './kit/gate-fixture.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/* Processes that are killed while they make a call that a task grant allows. */

const patient = { timeout: 120_000, interval: 50 };
let server: TestServer; // serves requests; other processes run the tasks
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
let owner: pg.Client;
let worker: ServerProcess;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ ROLE: 'web' }), Workplace.start()]);
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  fixture = await GateFixture.create(server, workplace);
  const ask = await fixture.organization.as();
  const mutation = 'mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }';
  const step = { name: 'review', tier: 'review', expiresAfterSeconds: 3600, taskGrantMaxUses: 3 };
  expect((await ask(mutation, { input: step })).errors).toBeUndefined();
  await fixture.publish(
    '@approval("review") permit (principal, action in [Action::"read", Action::"write"], resource);',
  );
  wire = wireOf(fixture, server.url);
});
beforeEach(() => start());
afterEach(async () => {
  await worker.kill();
  await workplace.clearFaults();
});
afterAll(async () => {
  await owner.end();
  await workplace.stop();
  await server.close();
});

/** A shorter lease could expire on a busy machine, which counts as a lost process. */
async function start(): Promise<void> {
  worker = await serverProcess(server.databaseUrl, { ROLE: 'worker', TASK_LEASE_SECONDS: '10' });
}

const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title, project: 'LAN' } });
const search = (words: string) => ({ tool: 'workplace__list_tickets', arguments: { words, project: 'LAN' } });

/** Sends both calls to a task, and approves the first one together with further calls of its project. */
async function grant(first: object, further: object): Promise<string> {
  const task = newTaskId();
  await wire.send(task, first);
  const { status } = await wire.until(task, 'input-required');
  const id = status.metadata!.approvalId!;
  await wire.send(task, further); // waits until the first call has its result
  const ask = await fixture.organization.as(fixture.reviewer);
  const query = 'query ($id: ID!) { approval(id: $id) { call { argumentsHash definitionHash } } }';
  const { data } = await ask(query, { id });
  const taskGrant = { equalArguments: ['project'], maxUses: 3, expiresAfterSeconds: 3600 };
  const input = { id, decision: 'approve', ...data.approval.call, taskGrant };
  const decided = await ask('mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }', {
    input,
  });
  expect(decided.data?.decideApproval.state).toBe('approved');
  return id;
}

const rows = async <Row extends pg.QueryResultRow>(text: string, ...params: unknown[]): Promise<Row[]> =>
  (await owner.query<Row>(text, params)).rows;
interface FurtherCall {
  id: string;
  state: string;
  attempts: number;
}
/** The calls that the grant of this approval allowed. */
const furtherCalls = (approvalId: string) =>
  rows<FurtherCall>(
    `select c.id, c.state, c.attempts from approvals a join task_grants g on g.call_id = a.call_id join tool_calls c on c.grant_id = g.id
     where a.id = $1`,
    approvalId,
  );
const stateOf = async (approvalId: string) => (await furtherCalls(approvalId)).map(({ state }) => state);
async function usesOf(approvalId: string): Promise<{ uses: number; recorded: number }> {
  const [found] = await rows<{ uses: number; recorded: number }>(
    `select g.uses, (select count(*)::int from audit_events e where e.kind = 'task-grant.used' and e.subject ->> 'id' = g.id::text) as recorded
     from approvals a join task_grants g on g.call_id = a.call_id where a.id = $1`,
    approvalId,
  );
  return found;
}
const arrivalsOf = async (title: string) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title).length;

it.each([
  ['before the connected system executes the call', 'hang', 0],
  ['after the connected system executed the call', 'hang-after', 1],
] as const)('counts one use, and never repeats a write, after a kill %s', async (when, fault, arrived) => {
  const title = `Killed ${when}`;
  await workplace.fail({ fault, containing: title });
  const id = await grant(ticket(`First: ${fault}`), ticket(title));
  await expect.poll(() => stateOf(id), patient).toEqual(['executing']);
  if (arrived) await expect.poll(() => arrivalsOf(title), patient).toBe(arrived);
  await worker.kill('SIGKILL');
  await workplace.clearFaults();
  await start();
  await expect.poll(() => stateOf(id), patient).toEqual(['unsettled']);
  expect(await usesOf(id)).toEqual({ uses: 1, recorded: 1 });
  expect(await arrivalsOf(title)).toBe(arrived);
});

it('runs a read again within the same use', async () => {
  await workplace.fail({ fault: 'hang', containing: 'killed words' });
  const id = await grant(search('first words'), search('killed words'));
  await expect.poll(() => stateOf(id), patient).toEqual(['executing']);
  await worker.kill('SIGKILL');
  await workplace.clearFaults();
  await start();
  await expect.poll(() => furtherCalls(id), patient).toMatchObject([{ state: 'succeeded', attempts: 2 }]);
  expect(await usesOf(id)).toEqual({ uses: 1, recorded: 1 });
});

it('loses the use together with the call if the process is killed before both are stored, and then makes the call once', async () => {
  const lock = 4711;
  await owner.query(`
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${lock}); return new; end $$;
    create trigger wait_for_test before insert on tool_calls for each row when (new.grant_id is not null)
      execute function wait_for_test()`);
  await owner.query('select pg_advisory_lock($1)', [lock]);
  const title = 'Killed before the commit';
  const id = await grant(ticket('First: not stored'), ticket(title));
  const waiting = () => rows(`select 1 from pg_locks where locktype = 'advisory' and not granted and objid = $1`, lock);
  await expect.poll(waiting, patient).toHaveLength(1);
  await worker.kill('SIGKILL');
  await owner.query('select pg_advisory_unlock($1)', [lock]);
  await expect.poll(waiting, patient).toEqual([]);
  await owner.query('drop trigger wait_for_test on tool_calls');
  expect(await usesOf(id)).toEqual({ uses: 0, recorded: 0 });
  expect(await furtherCalls(id)).toEqual([]);
  await start();
  await expect.poll(() => stateOf(id), patient).toEqual(['succeeded']);
  expect(await usesOf(id)).toEqual({ uses: 1, recorded: 1 });
  expect(await arrivalsOf(title)).toBe(1);
});
