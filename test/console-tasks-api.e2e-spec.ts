import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { aUser, apiOf } from './kit/api.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
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
