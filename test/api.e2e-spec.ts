import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import path from 'node:path';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { MembersService } from '../src/access/members.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import type { ToolCall } from '../src/gate/tool-call.entity.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { IdempotencyService } from '../src/platform/idempotency/idempotency.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { type ApiResponse, Api, apiOf, aUser } from './kit/api.js';
import { Contract } from './kit/contract.js';
import { GateFixture } from './kit/gate-fixture.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { aProduct, type Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let contract: Contract;
let product: Product;
let user: Member;
/** Clients with read access only and with write access. */
let reading: Api;
let writing: Api;
let knowledge: KnowledgeFixture;
let handbook: { id: string };

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  contract = await Contract.of(server.url);
  knowledge = new KnowledgeFixture(server, fixture.organization, await fixture.organization.as());
  const settings = { path: path.resolve('examples/demo-documents/handbook') };
  handbook = await knowledge.connect({ kind: 'folder', slug: 'handbook', settings });
  await knowledge.waitUntilComplete(handbook.id);
  await fixture.get(ConfigurationsService).update(await fixture.principalOf(), {
    configurationId: fixture.configurationId,
    connectionIds: [fixture.connectionId, handbook.id],
  });
  user = await aUser(fixture);
  product = await aProduct(server, fixture.organization, { name: 'Line portal' });
  reading = await through('api:read');
  writing = await through('api:write');
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const through = (scope: 'api:read' | 'api:write', of: { product?: Product; person?: Member } = {}): Promise<Api> =>
  apiOf(server, fixture, of.person ?? user, { scope, product: of.product ?? product, contract });

let count = 0;
const aTicket = (more: object = {}) => ({ arguments: { title: `Gripper ${++count} lets go`, ...more } });
const calls = (tool: string, configuration = fixture.configurationId) =>
  `/configurations/${configuration}/tools/workplace__${tool}/calls`;
const question = {
  role: 'user',
  parts: [{ text: 'How many working days does the security check of new software take?' }],
};
const withKey = (key: string) => ({ 'idempotency-key': key });
const refusal = ({ status, body }: ApiResponse<{ code: string; errors?: { pointer: string }[] }>) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }) => pointer),
];
async function decide(answer: ApiResponse, decision: 'approve' | 'deny' = 'approve'): Promise<void> {
  const reviewer = await fixture.principalOf(fixture.reviewer);
  await fixture.get(ApprovalsService).decide(reviewer, answer.body.approval.id as string, decision, 'Not now.');
}
const ticketsLike = async (title: string): Promise<number> =>
  (await workplace.arrivals()).filter((one) => JSON.stringify(one).includes(title)).length;

/** Another configuration for the user's group. */
async function another(name: string, connectionIds = [fixture.connectionId]): Promise<string> {
  const made = { name, description: '', connectionIds, groupIds: await groupsOf(user) };
  return (await fixture.get(ConfigurationsService).create(await fixture.principalOf(), made)).id;
}
const groupsOf = (person: Member): Promise<string[]> =>
  fixture.get(MembersService).listGroupIds(fixture.organization.system, person.id);

const usual = `@id("reads") permit (principal, action in Action::"read", resource);
@id("writes need approval") @approval("review") permit (principal, action in Action::"write", resource);
@id("nothing destructive") forbid (principal, action in Action::"destructive", resource);`;
/** Allows every call while `run` runs. */
async function allowingAll<T>(run: () => Promise<T>): Promise<T> {
  await fixture.publish('permit (principal, action, resource);');
  return run().finally(() => fixture.publish(usual));
}

describe('an access token', () => {
  it('authenticates the person and the product', async () => {
    const { tenant } = fixture.organization;
    expect((await reading.get('/me')).body).toEqual({
      member: { id: user.id, name: user.name, email: user.email },
      organization: { id: tenant.id, name: tenant.name, slug: tenant.slug },
      client: { id: product.id, name: 'Line portal' },
      scopes: ['api:read'],
    });
    expect((await writing.get('/me')).body.scopes).toEqual(['api:read', 'api:write']);
  });

  it('is required by every operation, and each challenge names the metadata', async () => {
    const nobody = new Api(server.url, 'cs_api_nobody', contract);
    for (const [method, address] of operations()) {
      const answer = await nobody.call(method, address, method === 'POST' ? {} : undefined);
      expect([address, ...refusal(answer)]).toEqual([address, 401, 'unauthenticated']);
      expect(answer.headers.get('www-authenticate')).toContain(
        `resource_metadata="${server.url}/.well-known/oauth-protected-resource/v1"`,
      );
    }
  });

  it('with read access cannot call any write operation', async () => {
    const forWriting = operations().filter(([, , scope]) => scope === 'api:write');
    expect(forWriting).toHaveLength(2);
    for (const [method, address] of forWriting) {
      const answer = await reading.call(method, address, { message: question });
      expect([address, ...refusal(answer)]).toEqual([address, 403, 'insufficient_scope']);
      expect(answer.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="api:write"/);
    }
    const write = await reading.post(calls('create_ticket'), aTicket());
    expect(refusal(write)).toEqual([403, 'insufficient_scope']);
    expect(write.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="api:write"/);
  });

  it('with read access can call every read operation', async () => {
    for (const [method, address] of operations().filter(([, , scope]) => scope === 'api:read')) {
      const answer = await reading.call(method, address, method === 'POST' ? { arguments: {} } : undefined);
      expect([address, answer.status === 401 || answer.status === 403]).toEqual([address, false]);
    }
  });

  it('lists only the tools of its scope', async () => {
    const names = async (api: Api) =>
      (await api.get(`/configurations/${fixture.configurationId}/tools`)).body.tools.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(reading)).toEqual([
      'knowledge__read',
      'knowledge__search',
      'workplace__get_ticket',
      'workplace__list_channels',
      'workplace__list_tickets',
    ]);
    expect(await names(writing)).toContain('workplace__create_ticket');
    expect(await names(writing)).not.toContain('workplace__close_ticket');
  });
});

/** The operations from the description, with syntactically valid ids. */
function operations(): [method: string, address: string, scope: string][] {
  const ids: Record<string, string> = { '/v1/configurations/{id}': fixture.configurationId };
  return Object.entries(contract.description.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, string] => {
      const id = Object.entries(ids).find(([beginning]) => template.startsWith(beginning))?.[1] ?? newId();
      const address = template.replace('{id}', id).replace('{tool}', 'workplace__list_tickets').replace('/v1', '');
      const { security } = operation as unknown as { security: [{ oauth: [string] }] };
      return [
        method.toUpperCase(),
        template.endsWith('/search') ? `${address}?q=leave` : address,
        security[0].oauth[0],
      ];
    }),
  );
}

describe('configurations', () => {
  it('are listed page by page for the groups of the person', async () => {
    const stranger = await through('api:read', { person: await fixture.organization.member({ name: 'Sam Stranger' }) });
    expect((await stranger.get('/configurations')).body).toEqual({ configurations: [], nextCursor: null });
    const theirs = [fixture.configurationId, await another('Second desk'), await another('Third desk')].reverse();
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: ApiResponse = await reading.get(`/configurations?limit=1${cursor && `&cursor=${cursor}`}`);
      found.push(...body.configurations.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(found).toEqual(theirs);
  });

  it('of other groups do not exist for the person', async () => {
    const stranger = await through('api:write', {
      person: await fixture.organization.member({ name: 'Stan Stranger' }),
    });
    const elsewhere = await GateFixture.create(server, workplace);
    for (const [api, id] of [
      [stranger, fixture.configurationId],
      [writing, elsewhere.configurationId],
      [writing, newId()],
      [writing, 'desk'],
    ] as const) {
      expect(refusal(await api.get(`/configurations/${id}/tools`))).toEqual([404, 'configuration-not-found']);
      const call = await api.post(calls('list_tickets', id), { arguments: {} });
      expect(refusal(call)).toEqual([404, 'configuration-not-found']);
    }
    for (const address of ['/search?q=leave', `/documents/${newId()}?x`])
      expect((await stranger.get(address.replace('?x', ''))).body.code).toBe('configuration-required');
    const task = await stranger.post('/tasks', { configuration: fixture.configurationId, message: question });
    expect(refusal(task)).toEqual([404, 'configuration-not-found']);
  });

  it('that are paused are marked and refuse calls', async () => {
    const id = await another('Paused desk');
    await fixture.get(ConfigurationsService).pause(await fixture.principalOf(), id);
    const { body } = await reading.get('/configurations');
    expect(body.configurations.find((one: { id: string }) => one.id === id).isPaused).toBe(true);
    expect(refusal(await reading.post(calls('list_tickets', id), { arguments: {} }))).toEqual([409, 'paused']);
  });
});

describe('a call', () => {
  it('runs immediately if the policies allow it', async () => {
    const { status, body } = await reading.post(calls('list_tickets'), { arguments: { project: 'LAN' } });
    expect({ status, body }).toMatchObject({ status: 200, body: { state: 'succeeded', approval: null, error: null } });
    expect(body.result.content[0].type).toBe('text');
    expect((await reading.get(`/calls/${body.id}`)).body).toMatchObject({ id: body.id, state: 'succeeded' });
  });

  it('waits for an approval if the policies require one, then runs automatically', async () => {
    const asked = aTicket();
    const answer = await writing.post(calls('create_ticket'), asked);
    expect(answer.status).toBe(202);
    const location = answer.headers.get('location')!;
    expect(location).toBe(`${server.url}/v1/calls/${answer.body.id}`);
    expect((await writing.get(`/calls/${answer.body.id}`)).body).toMatchObject({ state: 'awaiting_approval' });
    await decide(answer);
    const done = await writing.until<{ state: string; result: { content: { text: string }[] } }>(
      `/calls/${answer.body.id}`,
      ({ state }) => state === 'succeeded',
    );
    expect(done.result.content[0].text).toMatch(/LINE|open|T-|created/i);
    expect(await ticketsLike(asked.arguments.title)).toBe(1);
    const again = await writing.post(calls('create_ticket'), asked);
    expect(again.body).toMatchObject({ id: answer.body.id, state: 'succeeded', replayed: true });
    expect(await ticketsLike(asked.arguments.title)).toBe(1);
  });

  it('that a person denies fails with the reason', async () => {
    const asked = aTicket();
    const answer = await writing.post(calls('create_ticket'), asked);
    await decide(answer, 'deny');
    expect((await writing.get(`/calls/${answer.body.id}`)).body).toMatchObject({
      state: 'denied',
      error: { code: 'approval-denied', detail: expect.stringContaining('Not now.') },
    });
    const again = await writing.post(calls('create_ticket'), asked);
    expect(refusal(again)).toEqual([403, 'approval-denied']);
    expect(again.body.callId).toBe(answer.body.id);
  });

  it('is visible only to the person and the product that made it', async () => {
    const { body } = await writing.post(calls('create_ticket'), aTicket());
    const elsewhere = await through('api:write', { product: await aProduct(server, fixture.organization) });
    const colleague = await through('api:write', { person: await aUser(fixture, 'Carl Colleague') });
    expect((await reading.get(`/calls/${body.id}`)).status).toBe(200);
    for (const api of [elsewhere, colleague])
      expect(refusal(await api.get(`/calls/${body.id}`))).toEqual([404, 'call-not-found']);
    for (const id of [newId(), 'mine', '%00']) expect((await writing.get(`/calls/${id}`)).status).toBe(404);
  });

  it('is hidden once the person may no longer make it', async () => {
    const person = await aUser(fixture, 'Greta Guest');
    const api = await through('api:write', { person });
    const answer = await api.post(calls('create_ticket'), aTicket());
    await decide(answer);
    await api.until<{ state: string }>(`/calls/${answer.body.id}`, ({ state }) => state === 'succeeded');
    const admin = await fixture.principalOf();
    const [group] = await groupsOf(person);
    await fixture.get(GroupsService).removeMember(admin, group, person.id);
    const { body } = await api.get(`/calls/${answer.body.id}`);
    expect(body).toMatchObject({ state: 'succeeded', result: { structured: null } });
    expect(body.result.content[0].text).toMatch(/not shown/);
  });

  it.each([
    ['no body', undefined, [415, 'unsupported-media-type']],
    ['invalid JSON', '{"arguments":', [400, 'invalid-request', '']],
    ['no arguments', {}, [400, 'invalid-request', '/arguments']],
    ['a list as arguments', { arguments: [] }, [400, 'invalid-request', '/arguments']],
    ['an unknown field', { arguments: {}, argument: {} }, [400, 'invalid-request', '/argument']],
    ['arguments of the wrong type', { arguments: { title: 7 } }, [400, 'invalid-request', '/arguments/title']],
    ['a repeated argument', '{"arguments":{"title":"a","title":"b"}}', [400, 'invalid-request', '/arguments/title']],
    [
      'an inexact number',
      '{"arguments":{"title":"a","priority":9007199254740993}}',
      [400, 'invalid-request', '/arguments/priority'],
    ],
  ])('with %s is rejected', async (_, body, expected) => {
    expect(refusal(await writing.post(calls('create_ticket'), body))).toEqual(expected);
  });

  it.each(['nothing_like_this', 'close_ticket', '%00', 'a'.repeat(80)])(
    'of the tool %s reports an unknown tool',
    async (tool) => {
      const { status, body } = await writing.post(calls(tool), { arguments: { id: 'LAN-0001' } });
      expect([status, body.code]).toEqual([404, tool === '%00' ? 'not-found' : 'tool-not-found']);
    },
  );

  it('that fails reports the reason', async () => {
    const failed = await reading.post(calls('get_ticket'), { arguments: { id: 'LAN-9999' } });
    expect(refusal(failed)).toEqual([502, 'upstream-failed']);
    expect((await reading.get(`/calls/${failed.body.callId}`)).body).toMatchObject({
      state: 'failed',
      error: { code: 'upstream-failed', detail: failed.body.detail },
    });
  });

  it('with an unknown outcome reports it until a person resolves it', async () => {
    const asked = aTicket();
    await workplace.fail({ fault: 'drop', times: 1 });
    const lost = await allowingAll(() => writing.post(calls('create_ticket'), asked));
    expect(refusal(lost)).toEqual([502, 'outcome-unsettled']);
    const { callId } = lost.body;
    expect((await writing.get(`/calls/${callId}`)).body).toMatchObject({ state: 'unsettled' });
    expect(refusal(await allowingAll(() => writing.post(calls('create_ticket'), asked)))).toEqual([
      502,
      'outcome-unsettled',
    ]);
    await fixture.get(CallsService).resolveOutcome(await fixture.principalOf(), callId, 'happened');
    expect((await writing.get(`/calls/${callId}`)).body).toMatchObject({ state: 'succeeded', error: null });
    expect(await ticketsLike(asked.arguments.title)).toBe(1);
  });
});

describe('the knowledge operations', () => {
  const search = `/search?q=${encodeURIComponent('security check of new software')}`;

  it('return passages with complete citations and read further', async () => {
    const { body } = await reading.get(`${search}&limit=3&kind=doc&configuration=${fixture.configurationId}`);
    expect(body.passages.map(({ n }: { n: number }) => n)).toEqual(body.passages.map((_: unknown, i: number) => i + 1));
    expect(body.passages[0]).toMatchObject({ n: 1, title: expect.any(String), source: 'handbook', kind: 'doc' });
    const { documentId, title } = body.passages[0];
    const document = await reading.get(`/documents/${documentId}?configuration=${fixture.configurationId}`);
    expect(document).toMatchObject({
      status: 200,
      body: { documentId, title, text: expect.stringContaining('check') },
    });
    expect((await reading.get(`/calls/${body.callId}`)).body).toMatchObject({
      tool: 'knowledge__search',
      state: 'succeeded',
    });
  });

  it('also return tickets that the passages name, with their own citations and the same filters', async () => {
    const { chatId, trackerId } = await knowledge.pushLinkedDocuments();
    const both = `/search?q=zebra&configuration=${await another('Support desk', [chatId, trackerId])}`;
    const { body } = await reading.get(both);
    expect(body.passages).toMatchObject([{ n: 1, title: 'Export trouble' }]);
    expect(body.linked).toMatchObject([
      {
        n: 2,
        namedIn: 1,
        title: 'PROJ-123: Worker restarts',
        source: 'tracker',
        container: 'Platform',
        url: 'https://tracker.example/browse/PROJ-123',
        text: 'The worker runs out of memory.',
      },
    ]);
    expect((await reading.get(`${both}&kind=message`)).body.linked).toEqual([]);
    expect((await reading.get(`${both}&source=chat`)).body.linked).toEqual([]);
    const chatOnly = await another('Chat desk', [chatId]);
    const { body: withoutTracker } = await reading.get(`/search?q=zebra&configuration=${chatOnly}`);
    expect([withoutTracker.passages.length, withoutTracker.linked]).toEqual([1, []]);
  });

  it('need no configuration if there is only one', async () => {
    const api = await through('api:read', { person: await only() });
    expect((await api.get(search)).status).toBe(200);
    expect(refusal(await reading.get(search))).toEqual([400, 'configuration-required', '/configuration']);
  });

  it.each([
    ['', '/q'],
    ['q=', '/q'],
    ['q=a&q=b', '/q'],
    ['q[a]=b', '/q', '/q[a]'],
    [`q=${'a'.repeat(1001)}`, '/q'],
    ['q=%00', '/q'],
    ['q=a&limit=0', '/limit'],
    ['q=a&limit=21', '/limit'],
    ['q=a&limit=1e1', '/limit'],
    ['q=a&kind=book', '/kind'],
    ['q=a&configuration=desk', '/configuration'],
    ['q=a&configuraton=x', '/configuraton'],
  ])('reject ?%s', async (query, ...pointers) => {
    const answer = await reading.get(`/search?${query}`);
    expect(refusal(answer)).toEqual([400, 'invalid-request', ...pointers]);
  });

  it('do not find documents that do not exist or are not shared', async () => {
    const missing = await reading.get(`/documents/${newId()}?configuration=${fixture.configurationId}`);
    expect(refusal(missing)).toEqual([404, 'document-not-found']);
    expect((await reading.get(`/documents/handbook?configuration=${fixture.configurationId}`)).status).toBe(404);
    expect(refusal(await reading.get(`${search}&configuration=${newId()}`))).toEqual([404, 'configuration-not-found']);
  });

  it('wait for an approval if the policies require one', async () => {
    const id = await another('Careful desk');
    const careful = '@id("all") @approval("review") permit (principal, action, resource);';
    await fixture.get(PoliciesService).publish(await fixture.principalOf(), id, careful);
    const answer = await reading.get(`${search}&configuration=${id}`);
    expect(answer).toMatchObject({ status: 202, body: { tool: 'knowledge__search', state: 'awaiting_approval' } });
    await decide(answer);
    const done = await reading.until<{ state: string; result: { structured: object } }>(
      `/calls/${answer.body.id}`,
      ({ state }) => state === 'succeeded',
    );
    expect(done.result.structured).toHaveProperty('passages');
  });
});

/** A person whose groups may use only the fixture's configuration. */
let lonely: Promise<Member> | undefined;
const only = (): Promise<Member> => (lonely ??= aUser(fixture, 'Olga Only'));

describe('a task', () => {
  const handOver = (more: object = {}) => ({ configuration: fixture.configurationId, message: question, ...more });

  it('is submitted, followed and completed', async () => {
    const { status, headers, body } = await writing.post('/tasks', handOver());
    expect([status, headers.get('location')]).toEqual([201, `${server.url}/v1/tasks/${body.id}`]);
    const stream = await (await writing.events(body.id)).end();
    expect(stream.states.at(0)).toBe('submitted');
    expect(stream.states.at(-1)).toBe('completed');
    for (const { data } of stream.updates)
      expect(contract.faults({ $ref: '#/components/schemas/TaskUpdate' }, data)).toBeNull();
    const later = await (await writing.events(body.id, 1)).end();
    expect(later.updates.map(({ number }) => number)).toEqual(stream.updates.map(({ number }) => number).slice(1));
    const done = (await reading.get(`/tasks/${body.id}?historyLength=5`)).body;
    expect(done.status.state).toBe('completed');
    expect(JSON.stringify(done.artifacts)).toContain('citations');
    expect(done.history[0]).toEqual({ role: 'user', parts: question.parts });
  });

  it('is limited to the access of the person’s groups', async () => {
    const data = { tool: 'workplace__create_ticket', arguments: aTicket().arguments };
    const { body } = await writing.post('/tasks', handOver({ message: { role: 'user', parts: [{ data }] } }));
    const waiting = await writing.until<{ status: { state: string; metadata: { approvalId: string } } }>(
      `/tasks/${body.id}`,
      ({ status }) => status.state === 'input-required',
    );
    const approval = await fixture
      .get(ApprovalsService)
      .get(await fixture.principalOf(), waiting.status.metadata.approvalId);
    expect(approval.requesters).toEqual([user.id]);
    await decide({ body: { approval: { id: approval.id } } } as never);
    await writing.until<{ status: { state: string } }>(
      `/tasks/${body.id}`,
      ({ status }) => status.state === 'completed',
    );
    expect(await ticketsLike(data.arguments.title)).toBe(1);
  });

  it('belongs to the person and the product', async () => {
    const { body } = await writing.post('/tasks', handOver({ id: 'shared-name' }));
    const elsewhere = await through('api:write', { product: await aProduct(server, fixture.organization) });
    const colleague = await through('api:write', { person: await only() });
    for (const api of [elsewhere, colleague]) {
      expect(refusal(await api.get(`/tasks/${body.id}`))).toEqual([404, 'task-not-found']);
      expect((await api.get('/tasks')).body.tasks).toEqual([]);
      expect(refusal(await api.post(`/tasks/${body.id}/cancel`))).toEqual([404, 'task-not-found']);
      expect((await api.fetch('GET', `/tasks/${body.id}/events`)).status).toBe(404);
    }
    expect((await colleague.post('/tasks', { id: 'shared-name', message: question })).status).toBe(201);
  });

  it('with a client-defined id can be sent again safely', async () => {
    const first = await writing.post('/tasks', handOver({ id: 'mine-1' }));
    expect(first.status).toBe(201);
    expect(await writing.post('/tasks', handOver({ id: 'mine-1' }))).toMatchObject({
      status: 200,
      body: { id: 'mine-1' },
    });
    const other = handOver({ id: 'mine-1', message: { role: 'user', parts: [{ text: 'Something else' }] } });
    expect(refusal(await writing.post('/tasks', other))).toEqual([409, 'task-exists']);
    const elsewhere = await writing.post(
      '/tasks',
      handOver({ id: 'mine-1', configuration: await another('Other desk') }),
    );
    expect(refusal(elsewhere)).toEqual([409, 'task-exists', '/configuration']);
  });

  it('that waits for information continues with the same id', async () => {
    const started = await writing.post(
      '/tasks',
      handOver({ message: { role: 'user', parts: [{ text: 'Create a ticket.' }] } }),
    );
    const { id } = started.body;
    await writing.until<{ status: { state: string } }>(
      `/tasks/${id}`,
      ({ status }) => status.state === 'input-required',
    );
    const more = { id, message: { role: 'user', parts: [{ text: `title: "Belt ${++count} slips"` }] } };
    expect((await writing.post('/tasks', more)).status).toBe(200);
    const { body } = await writing.get(`/tasks/${id}?historyLength=10`);
    expect(body.history.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(2);
  });

  it('can be canceled twice', async () => {
    const data = { tool: 'workplace__create_ticket', arguments: aTicket().arguments };
    const { body } = await writing.post('/tasks', handOver({ message: { role: 'user', parts: [{ data }] } }));
    await writing.until<{ status: { state: string } }>(
      `/tasks/${body.id}`,
      ({ status }) => status.state === 'input-required',
    );
    for (let times = 0; times < 2; times++)
      expect(await writing.post(`/tasks/${body.id}/cancel`)).toMatchObject({
        status: 200,
        body: { status: { state: 'canceled' } },
      });
    const done = await writing.post('/tasks', handOver());
    await writing.until<{ status: { state: string } }>(
      `/tasks/${done.body.id}`,
      ({ status }) => status.state === 'completed',
    );
    expect(refusal(await writing.post(`/tasks/${done.body.id}/cancel`))).toEqual([409, 'task-not-cancelable']);
  });

  it('is listed newest first, page by page', async () => {
    const person = await aUser(fixture, 'Lisa Lister');
    const api = await through('api:write', { person });
    const made: string[] = [];
    for (let times = 0; times < 3; times++) made.unshift((await api.post('/tasks', { message: question })).body.id);
    const first = (await api.get('/tasks?limit=2')).body;
    const second = (await api.get(`/tasks?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(made);
    expect(second.nextCursor).toBeNull();
    expect((await api.get(`/tasks?configuration=${newId()}`)).body.tasks).toEqual([]);
    expect((await api.get(`/tasks?state=canceled&configuration=${fixture.configurationId}`)).body.tasks).toEqual([]);
  });

  it.each([
    [{}, '/message'],
    [{ message: { role: 'agent', parts: [{ text: 'x' }] } }, '/message/role'],
    [{ message: { role: 'user', parts: [] } }, '/message/parts'],
    [{ message: { role: 'user', parts: [{}] } }, '/message/parts/0'],
    [{ message: { role: 'user', parts: [{ text: 'a', data: 1 }] } }, '/message/parts/0'],
    [{ id: '..', message: question }, '/id'],
    [{ configuration: 'desk', message: question }, '/configuration'],
    [{ configurations: 'desk', message: question }, '/configurations'],
  ])('with the body %j is rejected', async (body, pointer) => {
    expect(refusal(await writing.post('/tasks', body))).toEqual([400, 'invalid-request', pointer]);
  });

  it.each([
    ['/tasks?state=done', '/state'],
    ['/tasks?limit=101', '/limit'],
    ['/tasks?cursor=', '/cursor'],
    ['/tasks?offset=1', '/offset'],
    ['/tasks/x?historyLength=-1', '/historyLength'],
  ])('at %s is rejected', async (address, pointer) => {
    expect(refusal(await writing.get(address))).toEqual([400, 'invalid-request', pointer]);
  });

  it('rejects an invalid event number and an unknown id', async () => {
    const { body } = await writing.post('/tasks', handOver());
    const answer = await writing.get(`/tasks/${body.id}/events`, { 'last-event-id': 'x' });
    expect(refusal(answer)).toEqual([400, 'invalid-request', '/Last-Event-ID']);
    for (const id of ['nothing', '%00', '%E0%A4%A', 'a'.repeat(200)])
      expect([400, 404]).toContain((await writing.get(`/tasks/${id}`)).status);
  });
});

describe('usage', () => {
  it('is empty if no coding assistant is connected', async () => {
    const { status, body } = await reading.get('/usage?from=2026-11-01&to=2026-11-02');
    expect([status, body.periods, body.dataSince]).toEqual([200, [], null]);
  });
});

describe('Idempotency-Key', () => {
  it('creates a task once and repeats the response', async () => {
    const body = { configuration: fixture.configurationId, message: question };
    const first = await writing.post('/tasks', body, withKey('task-1'));
    const again = await writing.post('/tasks', body, withKey('task-1'));
    expect([again.status, again.body, again.headers.get('location')]).toEqual([
      201,
      first.body,
      first.headers.get('location'),
    ]);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  });

  it('makes a call once and returns its outcome only to a caller who may still make it', async () => {
    const asked = aTicket();
    const call = (api = writing) => api.post(calls('create_ticket'), asked, withKey('call-1'));
    const first = await allowingAll(() => call());
    expect(first.body.state).toBe('succeeded');
    await fixture.publish('forbid (principal, action, resource);');
    const denied = await call();
    await fixture.publish(usual);
    expect([denied.status, denied.body.id, denied.body.state]).toEqual([200, first.body.id, 'succeeded']);
    expect(denied.body.result.content).toEqual([{ type: 'text', text: expect.stringContaining('is not shown') }]);
    expect(refusal(await call(reading))).toEqual([403, 'insufficient_scope']);
    const again = await call();
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await ticketsLike(asked.arguments.title)).toBe(1);
  });

  it('stores a long result only with the call', async () => {
    const { title } = aTicket().arguments;
    const asked = { arguments: { title, description: '"'.repeat(7900) } };
    const call = () => writing.post(calls('create_ticket'), asked, withKey('long'));
    const [first, again] = await allowingAll(async () => [await call(), await call()]);
    expect(JSON.stringify(first.body).length).toBeGreaterThan(16 * 1024);
    expect([again.status, again.body]).toEqual([200, { ...first.body, replayed: true }]);
    expect(await ticketsLike(title)).toBe(1);
    const longest = statement<[], { most: number }>(
      'select max(length(answer_sealed)) as most from idempotent_requests',
    );
    const row = await server.app.get(DatabaseService).systemPool.one(longest);
    expect(row!.most).toBeLessThan(17 * 1024);
  });

  it('reveals nothing about a configuration that the person can no longer use', async () => {
    const person = await aUser(fixture, 'Gone Guest');
    const api = await through('api:write', { person });
    const list = () => api.post(calls('list_tickets'), { arguments: {} }, withKey('guest'));
    expect((await list()).status).toBe(200);
    for (const group of await groupsOf(person))
      await fixture.get(GroupsService).removeMember(await fixture.principalOf(), group, person.id);
    expect(refusal(await list())).toEqual([404, 'configuration-not-found']);
  });

  it('applies to one request', async () => {
    const body = { configuration: fixture.configurationId, message: question };
    await writing.post('/tasks', body, withKey('one'));
    for (const answer of [
      await writing.post('/tasks', { ...body, id: 'another' }, withKey('one')),
      await writing.post(calls('list_tickets'), { arguments: {} }, withKey('one')),
    ])
      expect(refusal(answer)).toEqual([422, 'idempotency-key-reused', '/Idempotency-Key']);
  });

  it('applies to one person and product', async () => {
    const body = { configuration: fixture.configurationId, message: question };
    const mine = await writing.post('/tasks', body, withKey('everyone-s'));
    const colleague = await through('api:write', { person: await only() });
    const theirs = await colleague.post('/tasks', body, withKey('everyone-s'));
    expect([theirs.status, theirs.body.id === mine.body.id]).toEqual([201, false]);
  });

  it('stays unused after a request that changed nothing', async () => {
    const wrong = await writing.post('/tasks', { message: {} }, withKey('mended'));
    expect(wrong.status).toBe(400);
    const body = { configuration: fixture.configurationId, message: question };
    expect((await writing.post('/tasks', body, withKey('mended'))).status).toBe(201);
  });

  it('stores the refusal of an attempted call', async () => {
    const answer = await writing.post(calls('get_ticket'), { arguments: { id: 'LAN-9998' } }, withKey('tried'));
    const again = await writing.post(calls('get_ticket'), { arguments: { id: 'LAN-9998' } }, withKey('tried'));
    expect([again.status, again.body]).toEqual([502, answer.body]);
    expect(again.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('expires after a day', async () => {
    const body = { configuration: fixture.configurationId, message: question };
    const first = await writing.post('/tasks', body, withKey('yesterday'));
    const age = `update idempotent_requests set created_at = created_at - interval '25 hours' where key = 'yesterday'`;
    await fixture.get(DatabaseService).tenant(fixture.organization.system, (tx) => runSql(tx, age));
    const second = await writing.post('/tasks', { ...body, id: 'today' }, withKey('yesterday'));
    expect([second.status, second.body.id]).toEqual([201, 'today']);
    await fixture.get(DatabaseService).tenant(fixture.organization.system, (tx) => runSql(tx, age));
    await fixture.get(IdempotencyService).sweep();
    const third = await writing.post('/tasks', body, withKey('yesterday'));
    expect([third.status, third.body.id === first.body.id]).toEqual([201, false]);
  });

  it('lets one of many concurrent requests through', async () => {
    const body = { configuration: fixture.configurationId, message: question };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => writing.post('/tasks', body, withKey('at-once'))),
    );
    expect(new Set(answers.filter(({ status }) => status === 201).map((one) => one.body.id)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(refusal(answer)).toEqual([409, 'idempotency-key-busy']);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  it.each(['', 'two words', 'a'.repeat(256), 'ä'])('cannot be "%s"', async (key) => {
    const answer = await writing.post('/tasks', { message: question }, withKey(Buffer.from(key).toString('latin1')));
    expect(refusal(answer)).toEqual([400, 'invalid-request', '/Idempotency-Key']);
  });

  describe('after a crash', () => {
    /** Simulates a process that died after the work and before it stored the response. */
    const forgettingAnswers = async <T>(run: () => Promise<T>): Promise<T> => {
      const idempotency = fixture.get(IdempotencyService);
      const keep = idempotency.storeResponse.bind(idempotency);
      idempotency.storeResponse = (request, id) => idempotency.abandon(request, id);
      try {
        return await run();
      } finally {
        idempotency.storeResponse = keep;
      }
    };

    it('finds the task that was created', async () => {
      const body = { configuration: fixture.configurationId, message: question };
      const first = await forgettingAnswers(() => writing.post('/tasks', body, withKey('crash-task')));
      const again = await writing.post('/tasks', body, withKey('crash-task'));
      expect([again.status, again.body.id]).toEqual([201, first.body.id]);
      expect(again.headers.get('idempotency-replayed')).toBeNull();
      const third = await writing.post('/tasks', body, withKey('crash-task'));
      expect([third.body, third.headers.get('idempotency-replayed')]).toEqual([again.body, 'true']);
    });

    it('finds the call that was made, even after the gate would create a new one', () =>
      allowingAll(async () => {
        const asked = aTicket();
        const first = await forgettingAnswers(() => writing.post(calls('create_ticket'), asked, withKey('crash-call')));
        expect(first.body.state).toBe('succeeded');
        await fixture
          .get(DatabaseService)
          .tenant(fixture.organization.system, (tx) =>
            runSql(tx, `update tool_calls set delivered_at = delivered_at - interval '1 hour' where id = $1`, [
              first.body.id,
            ]),
          );
        const again = await writing.post(calls('create_ticket'), asked, withKey('crash-call'));
        expect([again.status, again.body]).toEqual([200, { ...first.body, replayed: true }]);
        expect(await ticketsLike(asked.arguments.title)).toBe(1);
      }));

    it('repeats a read, because its result is not stored', async () => {
      const first = await forgettingAnswers(() =>
        reading.post(calls('list_tickets'), { arguments: {} }, withKey('crash-read')),
      );
      const again = await reading.post(calls('list_tickets'), { arguments: {} }, withKey('crash-read'));
      expect([again.status, again.body.result]).toEqual([200, first.body.result]);
    });
  });
});

describe('the API', () => {
  it('accepts any origin with a token and lists the allowed headers', async () => {
    const response = await fetch(`${server.url}/v1/tasks`, {
      method: 'OPTIONS',
      headers: { origin: 'https://portal.example', 'access-control-request-method': 'POST' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    const refused = await fetch(`${server.url}/v1/me`, { headers: { origin: 'https://portal.example' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  it('ignores cookies', async () => {
    const browser = await fixture.organization.browser(user);
    expect((await browser.fetch('/v1/me', { headers: { accept: 'application/json' } })).status).toBe(401);
  });

  it.each([
    ['DELETE', '/tasks/x', 'GET, HEAD, OPTIONS'],
    ['PUT', '/tasks', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/me', 'GET, HEAD, OPTIONS'],
    ['GET', '/tasks/x/cancel', 'POST, OPTIONS'],
    ['PATCH', '/configurations/x/tools/y/calls', 'POST, OPTIONS'],
  ])('rejects %s %s', async (method, address, allow) => {
    const answer = await writing.call(method, address);
    expect(refusal(answer)).toEqual([405, 'method-not-allowed']);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('responds to HEAD like GET without a body, also for a stream', async () => {
    const { body } = await writing.post('/tasks', { configuration: fixture.configurationId, message: question });
    for (const address of ['/me', '/tasks', `/tasks/${body.id}/events`])
      expect(await writing.call('HEAD', address)).toMatchObject({ status: 200, body: undefined });
  });

  it('responds with 404 to unknown paths', async () => {
    for (const address of ['', '/', '/nothing', '/tasks/x/y'])
      expect(refusal(await writing.get(address))).toEqual([404, 'not-found']);
  });

  it('does not resend an unchanged response', async () => {
    const { headers } = await reading.get('/me');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect((await reading.get('/me', { 'if-none-match': headers.get('etag')! })).status).toBe(304);
    expect((await writing.get('/me', { 'if-none-match': headers.get('etag')! })).status).toBe(200);
  });

  it('reports the remaining rate limit', async () => {
    const { headers } = await reading.get('/me');
    expect(headers.get('ratelimit-limit')).toBe('6000');
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(6000);
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0);
  });
});

describe('the end of access', () => {
  it('ends submitted tasks', async () => {
    const person = await aUser(fixture, 'Lea Leaver');
    const api = await through('api:write', { person });
    const call = await api.post(calls('create_ticket'), aTicket());
    const stream = await api.events((await waitingTask(api)).id);
    await fixture.suspend(person);
    expect(refusal(await api.get('/me'))).toEqual([401, 'unauthenticated']);
    await stream.end(); // the check runs every five seconds
    await decide(call);
    const done = await until(() => fixture.get(CallsService).get(fixture.organization.system, call.body.id), isDenied);
    expect(done.reason).toMatch(/no longer active/);
  });

  it('of one product does not affect the person’s other products', async () => {
    const other = await aProduct(server, fixture.organization);
    const api = await through('api:write', { product: other });
    await fixture.get(ClientsService).revoke(await fixture.principalOf(), other.client.id);
    expect(refusal(await api.get('/me'))).toEqual([401, 'unauthenticated']);
    expect((await reading.get('/me')).status).toBe(200);
  });
});

const isDenied = ({ state }: ToolCall): boolean => state === 'denied';
async function until<T>(read: () => Promise<T>, isIt: (found: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await read();
    if (isIt(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('it did not become so');
}

async function waitingTask(api: Api): Promise<{ id: string }> {
  const data = { tool: 'workplace__create_ticket', arguments: aTicket().arguments };
  const { body } = await api.post('/tasks', { message: { role: 'user', parts: [{ data }] } });
  await api.until<{ status: { state: string } }>(
    `/tasks/${body.id}`,
    ({ status }) => status.state === 'input-required',
  );
  return body;
}

describe('every operation', () => {
  it('was checked against its OpenAPI description', () => {
    const usualAnswers = Object.entries(contract.description.paths).flatMap(([template, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => {
        const [status] = Object.keys(responses);
        const isStream = 'text/event-stream' in responses[status].content;
        return isStream ? [] : [`${method.toUpperCase()} ${template} ${status}`];
      }),
    );
    expect(usualAnswers.filter((name) => !contract.checkedOperations.has(name))).toEqual([]);
  });
});

describe('a person who uses a product', () => {
  let small: TestServer;
  beforeAll(async () => {
    small = await testServer({ LIMIT_READS_PER_MINUTE: '3', LIMIT_SENDS_PER_MINUTE: '1', LIMIT_STREAMS: '1' });
  });
  afterAll(() => small.close());

  it('has a rate limit of their own', async () => {
    const organization = await anOrganization(small);
    const [one, other] = [await aProduct(small, organization), await aProduct(small, organization)];
    const api = new Api(small.url, (await one.tokens(organization.admin)).access_token, contract);
    for (const left of ['2', '1', '0']) expect((await api.get('/me')).headers.get('ratelimit-remaining')).toBe(left);
    const refused = await api.get('/me');
    expect(refusal(refused)).toEqual([429, 'rate-limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = new Api(small.url, (await other.tokens(organization.admin)).access_token);
    expect((await elsewhere.get('/me')).status).toBe(200);
  });
});
