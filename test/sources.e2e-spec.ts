import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedWebhook } from '../examples/simulators/webhook-sender.js';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { type Connector, ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import { GateService } from '../src/gate/gate.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Principal } from '../src/principal/principal.js';
import { type ConnectedSource, connectedSources } from './kit/connected-sources.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { foundPassages, KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';

type Person = 'insider' | 'colleague' | 'outsider' | 'guest';
type Source = ConnectedSource & { people: Partial<Record<Person, string>> };

const patience = { timeout: 120_000, interval: 100 };
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);

/** Connectors with the timeouts of a real system have a second one for tests. */
function registered(system: string, { connector }: ConnectedSource): Connector {
  const registry = server.app.get(ConnectorRegistry);
  if (registry.get(connector.id) === connector) return connector;
  const second = { ...connector, id: `${system}-test` };
  registry.register(second);
  return second;
}

describe.each(Object.entries(connectedSources))('%s', (system, start) => {
  let source: Source;
  let lark: Organization;
  let admin: GraphqlRequest;
  let knowledge: KnowledgeFixture;
  let connector: Connector;
  let id: string;
  let configurationId: string;
  let agent: Principal;
  let reviewer: Principal;
  const members = new Map<Person, Member>();

  beforeAll(async () => {
    source = await start();
    connector = registered(system, source);
    lark = await anOrganization(server);
    admin = await lark.as();
    knowledge = new KnowledgeFixture(server, lark, admin);
  });
  afterAll(() => source?.stop());

  const call = (as: Principal, tool: string, args: object) =>
    get(GateService).call(as, { configurationId, tool, arguments: JSON.stringify(args) });
  const principalOf = async (person: Person): Promise<Principal> => ({
    ...(await sessionPrincipal(server, lark, members.get(person)!)),
    surface: 'mcp',
    scopes: ['api:read', 'api:write'],
  });
  const search = async (as: Principal, query: string) => foundPassages(await call(as, 'knowledge__search', { query }));
  const finders = async (word: string): Promise<Person[]> => {
    const found: Person[] = [];
    for (const person of members.keys()) if ((await search(await principalOf(person), word)).length) found.push(person);
    return found.sort();
  };
  const send = ({ headers, body }: SignedWebhook) =>
    fetch(`${server.url}/webhooks/sources/${id}`, { method: 'POST', headers, body });
  const accessOf = async (documentId: string, person: Person) => {
    const { data, errors } = await admin(
      `query ($documentId: ID!, $memberId: ID!) { documentAccess(documentId: $documentId, memberId: $memberId) {
        isPermitted obstacles audience { title rule } paths { account group } } }`,
      { documentId, memberId: members.get(person)!.id },
    );
    expect(errors).toBeUndefined();
    return data.documentAccess;
  };
  const stored = async () => {
    const { tenantId } = lark.system;
    const [{ count }] = await get(DatabaseService).tenant(lark.system, (tx) =>
      runSql<{ count: number }>(
        tx,
        'select count(*)::int as count from documents where tenant_id = $1 and connection_id = $2',
        [tenantId, id],
      ),
    );
    return count;
  };
  const closedDocument = async () => (await search(await principalOf('insider'), source.words.closed))[0];

  it('is connected by an administrator, who chooses what is read', async () => {
    const { settings, secrets, containers } = source;
    const connection = await knowledge.connect({ kind: connector.id, slug: 'source', settings, secrets });
    expect(connection).toMatchObject({ status: 'connected' });
    ({ id } = connection);
    const state = async () =>
      (await admin('query ($id: ID!) { knowledgeSource(connectionId: $id) { state isHeld } }', { id })).data
        .knowledgeSource;
    await expect.poll(state, patience).toEqual({ state: 'waiting', isHeld: true });
    const { data } = await admin('query ($id: ID!) { sourceContainers(connectionId: $id) { id title } }', { id });
    const offered = data.sourceContainers.map((one: { id: string }) => one.id);
    expect(offered).toEqual(expect.arrayContaining(Object.values(containers)));
    expect(await knowledge.update(id, { containers: [containers.closed] })).toMatchObject({ failure: null });
    const { documentCount: some } = await knowledge.source(id);
    const { documentCount: all, problems } = await knowledge.update(id, { containers: Object.values(containers) });
    expect(all).toBe(some + 1);
    expect(problems).toEqual([]);
    await knowledge.refreshRoster(id);
  });

  it('opens its documents to those who can read them there, through the gate', async () => {
    const group = await get(GroupsService).create(lark.system, 'Everybody');
    for (const [person, email] of Object.entries(source.people))
      members.set(
        person as Person,
        await get(MembersService).create(lark.system, { email, name: person, groupIds: [group.id] }),
      );
    const owner = await sessionPrincipal(server, lark, lark.admin);
    reviewer = await sessionPrincipal(server, lark, await lark.member({ name: 'Rita Reviewer', roles: ['admin'] }));
    ({ id: configurationId } = await get(ConfigurationsService).create(owner, {
      name: 'Desk',
      description: '',
      connectionIds: [id],
      groupIds: [group.id],
    }));
    const { id: agentId, name } = await get(AgentsService).create(owner, { configurationId, name: 'Helper' });
    const { a2aKey } = await get(KeysService).create(owner, agentId);
    agent = {
      tenantId: lark.tenant.id,
      kind: 'agent',
      name,
      agentId,
      configurationId,
      keyId: a2aKey.id,
      surface: 'a2a',
      scopes: [],
      permissions: new Set(),
      chain: [],
    };
    expect(await finders(source.words.closed)).toEqual(['insider']);
    expect(await finders(source.words.open)).toEqual(['colleague', 'insider', 'outsider']);
    expect(await search(agent, source.words.closed)).toEqual([]);
    expect(await search(agent, source.words.open)).toEqual([]);
    const { documentId, url } = await closedDocument();
    expect(url).toContain(source.url);
    const read = async (as: Principal) => {
      const outcome = await call(as, 'knowledge__read', { documentId });
      return outcome.state === 'succeeded' ? outcome.result.content : outcome.state;
    };
    expect(await read(await principalOf('insider'))).toMatchObject([{ text: expect.stringContaining('zebrafish') }]);
    for (const person of ['colleague', 'outsider'] as const)
      expect(await read(await principalOf(person))).toBe('failed');
    expect(await read(agent)).toBe('failed');
  });

  it('explains why a person can see a document, and why another cannot', async () => {
    const { documentId } = await closedDocument();
    expect(await accessOf(documentId, 'insider')).toMatchObject({
      isPermitted: true,
      obstacles: [],
      audience: { rule: expect.stringMatching(/\w/) },
      paths: expect.arrayContaining([{ account: expect.any(String), group: null }]),
    });
    const refused = await accessOf(documentId, 'outsider');
    expect(refused).toMatchObject({ isPermitted: false, obstacles: [expect.any(String)] });
  });

  it('finds a grant and a revocation with the next roster', async () => {
    const { colleague } = source.people;
    await source.grant(colleague);
    await knowledge.refreshRoster(id);
    expect(await finders(source.words.closed)).toEqual(['colleague', 'insider']);
    await source.revoke(colleague);
    await knowledge.refreshRoster(id);
    expect(await finders(source.words.closed)).toEqual(['insider']);
  });

  it('reads what a webhook reports at once, and nothing for a forged one', async () => {
    const { webhooks, people } = source;
    if (!webhooks) {
      expect(connector.receive).toBeUndefined();
      return;
    }
    await knowledge.waitUntilComplete(id);
    await source.edit('The zebrafish met a kestrel');
    const { headers, body } = webhooks.ofDocument();
    expect((await send({ headers, body: `${body.toString()} ` })).status).toBe(404);
    expect(await finders('kestrel')).toEqual([]);
    expect((await send({ headers, body })).status).toBe(200);
    // without `changes`, a webhook starts a complete listing, which waits for minutes
    if (!connector.changes) await knowledge.sync(id);
    await expect.poll(() => finders('kestrel'), patience).toEqual(['insider']);
    await source.grant(people.outsider);
    expect((await send(webhooks.ofReaders())).status).toBe(200);
    await expect.poll(() => finders(source.words.closed), patience).toEqual(['insider', 'outsider']);
    await source.revoke(people.outsider);
    expect((await send(webhooks.ofReaders())).status).toBe(200);
    await expect.poll(() => finders(source.words.closed), patience).toEqual(['insider']);
  });

  it('executes a tool once, after its approval', async () => {
    const { tool, arguments: args, effects } = source.action;
    const before = effects();
    const outcome = await call(agent, `source__${tool}`, args('Done.'));
    if (outcome.state !== 'awaiting_approval') throw new Error(`the call is ${JSON.stringify(outcome)}`);
    expect(effects()).toBe(before);
    await get(ApprovalsService).decide(reviewer, outcome.approvalId, 'approve', 'Fine.');
    const state = async () => (await get(CallsService).get(lark.system, outcome.callId)).state;
    await expect.poll(state, patience).toBe('succeeded');
    expect(effects()).toBe(before + 1);
    expect(await call(agent, `source__${tool}`, args('Done.'))).toMatchObject({
      callId: outcome.callId,
      state: 'succeeded',
    });
    expect(effects()).toBe(before + 1);
  });

  it('does nothing while it is paused, and forgets everything when it is removed', async () => {
    const set = async (action: string) =>
      expect((await admin(`mutation ($id: ID!) { ${action}(input: { id: $id }) { id } }`, { id })).errors).toBe(
        undefined,
      );
    const { tool, arguments: args, effects } = source.action;
    const before = effects();
    await set('pauseConnection');
    const paused = await call(agent, `source__${tool}`, args('Again.'));
    expect(paused).toMatchObject({ state: 'denied', code: 'paused' });
    expect(effects()).toBe(before);
    if (source.webhooks) expect((await send(source.webhooks.ofReaders())).status).toBe(404);
    await set('resumeConnection');
    const { documentId } = await closedDocument();
    await set('removeConnection');
    expect(await finders(source.words.closed)).toEqual([]);
    const read = await call(await principalOf('insider'), 'knowledge__read', { documentId });
    expect(read.state).toBe('failed');
    if (source.webhooks) expect((await send(source.webhooks.ofReaders())).status).toBe(404);
    await expect.poll(stored, patience).toBe(0);
  });
});
