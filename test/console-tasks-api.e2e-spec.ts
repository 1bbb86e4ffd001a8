import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { aUser, apiOf } from './kit/api.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let uma: Member;
let hers: GraphqlRequest;
let own: string;
let ofAgent: string;

const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });
const query = 'query ($id: ID!) { task(id: $id) { id configurationName calls { tool state policyIds arguments } } }';
const cancel = 'mutation ($input: CancelTaskInput!) { cancelTask(input: $input) { state } }';

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  uma = await aUser(fixture);
  hers = await fixture.organization.as(uma);
  const api = await apiOf(server, fixture, uma);
  const { body } = await api.post('/tasks', { message: { role: 'user', parts: [{ data: ticket('Hers') }] } });
  await api.until<{ status: { state: string } }>(
    `/tasks/${body.id}`,
    ({ status }) => status.state === 'input-required',
  );
  const wire = wireOf(fixture, server.url);
  const id = newTaskId();
  await wire.send(id, ticket('Of an agent'));
  await wire.until(id, 'input-required');
  const admin = await fixture.organization.as();
  const { data } = await admin('{ tasks { nodes { id externalId } } }');
  const nodes = data.tasks.nodes as { id: string; externalId: string }[];
  ofAgent = nodes.find(({ externalId }) => externalId === id)!.id;
  own = nodes.find(({ externalId }) => externalId === body.id)!.id;
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

it('shows people without "tasks:read" only the tasks that they submitted through a product', async () => {
  expect((await hers('{ tasks { totalCount nodes { id } } }')).data.tasks).toEqual({
    totalCount: 1,
    nodes: [{ id: own }],
  });
  const { data } = await hers(query, { id: own });
  expect(data.task).toEqual({
    id: own,
    configurationName: 'Desk',
    calls: [
      {
        tool: 'workplace__create_ticket',
        state: 'awaiting_approval',
        policyIds: [expect.any(String)],
        arguments: null,
      },
    ],
  });
  expect((await hers(query, { id: ofAgent })).code).toBe('task-not-found');
  const other = await fixture.organization.as(await fixture.organization.member({ name: 'Otto Other' }));
  expect((await other(query, { id: own })).code).toBe('task-not-found');
});

it('lets people cancel only their own tasks', async () => {
  const auditor = await fixture.organization.as(await fixture.organization.member({ roles: ['auditor'] }));
  expect((await auditor(cancel, { input: { id: own } })).code).toBe('forbidden');
  expect((await hers(cancel, { input: { id: ofAgent } })).code).toBe('task-not-found');
  expect((await hers(cancel, { input: { id: own } })).data.cancelTask).toEqual({ state: 'CANCELED' });
});

describe('the search for tasks', () => {
  const search =
    'query ($input: SearchTasksInput!) { searchTasks(input: $input) { searchedUntil nodes { id question } } }';
  const questions = async (ask: GraphqlRequest, input: object): Promise<(string | null)[]> =>
    (await ask(search, { input })).data.searchTasks.nodes.map(({ question }: { question: string | null }) => question);
  let admin: GraphqlRequest;
  let asked: string;
  let longest: string;

  beforeAll(async () => {
    admin = await fixture.organization.as();
    const wire = wireOf(fixture, server.url);
    asked = newTaskId();
    await wire.send(asked, '  How long does the Größe check of a lamp take?\nIt is urgent.');
    await wire.send(newTaskId(), 'x'.repeat(300));
    longest = newTaskId();
    await wire.send(longest, 'x'.repeat(60_000));
  });

  it('finds all words of the question in any order and case, and lists its first line', async () => {
    const question = 'How long does the Größe check of a lamp take?';
    expect(await questions(admin, { text: 'LAMP größe urgent' })).toEqual([question]);
    expect(await questions(admin, { text: 'lamp missing' })).toEqual([]);
    expect(await questions(admin, { text: asked })).toEqual([question]);
    expect(await questions(admin, { text: 'lamp', state: 'CANCELED' })).toEqual([]);
  });

  it('finds a task by its id, and tasks without text by the name of their caller', async () => {
    expect((await admin(search, { input: { text: ofAgent } })).data.searchTasks).toEqual({
      searchedUntil: null,
      nodes: [{ id: ofAgent, question: null }],
    });
    expect(await questions(admin, { text: 'helper' })).toContain(null);
  });

  it('finds a task whose caller chose a UUID as its id', async () => {
    const chosen = newId();
    await wireOf(fixture, server.url).send(chosen, 'Which bulb has its own id?');
    expect(await questions(admin, { text: chosen })).toEqual(['Which bulb has its own id?']);
  });

  it('shortens a long question, and leaves out very long messages', async () => {
    expect(await questions(admin, { text: 'x'.repeat(100) })).toEqual(['x'.repeat(200)]);
    expect((await admin(search, { input: { text: longest } })).data.searchTasks.nodes).toEqual([
      { id: expect.any(String), question: null },
    ]);
  });

  it('finds only tasks that the person may see', async () => {
    expect(await questions(hers, { text: 'lamp' })).toEqual([]);
    expect((await hers(search, { input: { text: own } })).data.searchTasks.nodes).toHaveLength(1);
    expect((await hers(search, { input: { text: ofAgent } })).data.searchTasks.nodes).toEqual([]);
  });

  it('searches 2,000 tasks at a time', async () => {
    const { data } = await admin('{ tasks(first: 1) { nodes { id } } }');
    const [{ id }] = data.tasks.nodes;
    await server.app.get(DatabaseService).tenant(fixture.agent, (tx) =>
      runSql(
        tx,
        `insert into tasks
         select (jsonb_populate_record(t, jsonb_build_object(
           'id', 'ffffffff-ffff-7fff-8000-' || lpad(to_hex(n), 12, '0'), 'external_id', 'copy-' || n, 'due_at', null
         ))).* from tasks t, generate_series(1, 2000) n where t.id = $1`,
        [id],
      ),
    );
    const first = (await admin(search, { input: { text: 'lamp' } })).data.searchTasks;
    expect(first).toEqual({ searchedUntil: expect.any(String), nodes: [] });
    const second = (await admin(search, { input: { text: 'lamp', before: first.searchedUntil } })).data.searchTasks;
    expect(second.nodes).toHaveLength(1);
    expect(second.searchedUntil).toBeNull();
  });

  it('refuses an empty text', async () => {
    expect((await admin(search, { input: { text: '  ' } })).code).toBe('invalid-request');
  });
});
