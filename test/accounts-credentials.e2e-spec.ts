import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { systemPrincipal, type Principal } from '../src/principal/principal.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import { Api } from './kit/api.js';
import { AccountFixture } from './kit/account-fixture.js';
import { aProduct } from './kit/product.js';
import type { TestServer } from './kit/server.js';
import { documentsContext } from './kit/documents-context.js';

let server: TestServer;
let upstream: AccountUpstream;
let database: pg.Pool;
let accountFixture: AccountFixture;
let bo: Member;
let cy: Member;
beforeAll(async () => {
  accountFixture = await AccountFixture.start({ secrets: { token: 'everybody-s-token' } });
  ({ server, upstream } = accountFixture);
  database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  await accountFixture.connectAsAdmin();
  [bo, cy] = [await accountFixture.member('Bo Member'), await accountFixture.member('Cy Member')];
  await accountFixture.connect(bo, 'bo over there');
});
afterAll(async () => {
  await database.end();
  await accountFixture.close();
});

beforeEach(() => void (upstream.receivedRequests.length = 0));

/** The people whose tokens reached the server, in calls or in any request. */
const whose = () => [...new Set(upstream.receivedRequests.map(({ sub }) => sub))];
const whoseCalls = () =>
  upstream.receivedRequests.filter(({ rpcMethod }) => rpcMethod === 'tools/call').map(({ sub }) => sub);

describe('the credential of a person’s call', () => {
  it('is only that person’s token, for concurrent calls', async () => {
    await accountFixture.connect(cy, 'cy over there');
    const people = [accountFixture.admin, bo, cy];
    const names = ['ada', 'bo', 'cy'].map((name) => `whoami of ${name} over there`);
    for (let round = 0; round < 3; round++)
      expect(await Promise.all(people.map((person) => accountFixture.callText(person)))).toEqual(names);
  });

  it('is neither the caller’s token nor the connection’s token', async () => {
    const product = await aProduct(server, accountFixture.organization);
    const { access_token } = await product.tokens(bo, { scope: 'api:read api:write' });
    const api = new Api(server.url, access_token);
    const path = `/configurations/${accountFixture.configurationId}/tools/notes__whoami/calls`;
    const { status, body } = await api.post(path, { arguments: {} });
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('whoami of bo over there')]);
    expect(whoseCalls()).toEqual(['bo over there']);
    for (const { authorization } of upstream.receivedRequests) {
      expect(authorization).not.toContain(access_token);
      expect(authorization).not.toContain('everybody-s-token');
    }
  });

  it('is the requester’s token, even if someone else approved the call', async () => {
    const admin = await accountFixture.principalOf(accountFixture.admin);
    const policies = server.app.get(PoliciesService);
    await policies.publish(admin, accountFixture.configurationId, askFirst);
    const outcome = await accountFixture.call(bo);
    if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
    upstream.receivedRequests.length = 0;
    await server.app.get(ApprovalsService).decide(admin, outcome.approvalId, 'approve', 'as bo');
    await until(() => whoseCalls().length > 0);
    expect(whoseCalls()).toEqual(['bo over there']);
    await policies.publish(admin, accountFixture.configurationId, '@id("all") permit (principal, action, resource);');
  });

  it('is missing if the person has no account, even if others have one', async () => {
    const dee = await accountFixture.member('Dee Member');
    expect(await accountFixture.callText(dee)).toMatch(/^failed/);
    expect(whoseCalls()).toEqual([]);
  });

  it('is missing for an agent', async () => {
    const admin = await accountFixture.principalOf(accountFixture.admin);
    const agents = server.app.get(AgentsService);
    const agent = await agents.create(admin, { configurationId: accountFixture.configurationId, name: 'Helper' });
    const helper: Principal = {
      ...systemPrincipal(admin.tenantId, 'Helper'),
      kind: 'agent',
      agentId: agent.id,
      configurationId: accountFixture.configurationId,
      surface: 'a2a',
    };
    const { connector, context } = await open(helper);
    await expect(connector.execute!(context, aCall)).rejects.toThrow('agents and background work cannot use it');
    expect(upstream.receivedRequests).toEqual([]);
  });

  it('is missing when resources are listed for a person without an account', async () => {
    const { connector, context } = await open(
      await accountFixture.principalOf(await accountFixture.member('Eli Member')),
    );
    await expect(connector.list!(context, 'resources')).rejects.toThrow(server.url + accountFixture.connectPath);
    expect(upstream.receivedRequests).toEqual([]);
  });
});

describe('work without a person', () => {
  it('uses the administrator’s account and only lists', async () => {
    const system = systemPrincipal(accountFixture.organization.tenant.id, 'connections');
    expect(await server.app.get(ConnectionsService).verify(system, accountFixture.connectionId)).toMatchObject({
      status: 'connected',
    });
    expect([whose(), whoseCalls()]).toEqual([['ada over there'], []]);
  });

  it('syncs no knowledge', async () => {
    const { connector, context } = await open(systemPrincipal(accountFixture.organization.tenant.id, 'knowledge'));
    const documents = connector.documents!(documentsContext(context).documents);
    expect((await documents[Symbol.asyncIterator]().next()).done).toBe(true);
    expect(upstream.receivedRequests).toEqual([]);
  });
});

describe('a stored account', () => {
  it('contains no token in clear text', async () => {
    const { rows } = await database.query<Record<string, unknown>>(
      `select a::text as account, c::text as client from connection_accounts a, connection_clients c`,
    );
    const tokens = upstream.provider.listSecrets();
    expect(tokens.length).toBeGreaterThan(3);
    const text = JSON.stringify(rows) + rows.map((row) => String(row.account)).join();
    for (const token of tokens) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(token).toString('hex'));
    }
  });

  it('is deleted here and revoked at the server when its member is removed', async () => {
    const fay = await accountFixture.member('Fay Member');
    await accountFixture.connect(fay, 'fay over there');
    const before = upstream.provider.countRows('RefreshToken');
    await server.app.get(MemberStatusService).remove(await accountFixture.principalOf(accountFixture.admin), fay.id);
    const { rowCount } = await database.query('select from connection_accounts where member_id = $1', [fay.id]);
    expect(rowCount).toBe(0);
    await until(() => upstream.provider.countRows('RefreshToken') === before - 1);
  });

  it('is deleted when the address of the connection changes', async () => {
    const other = await AccountFixture.create(server, upstream, accountFixture.organization, {}, {}, 'others');
    await other.addToGroup(bo);
    await other.confirmSignInServer();
    await other.connect(bo, 'bo over there');
    const admin = await accountFixture.principalOf(accountFixture.admin);
    const connections = server.app.get(ConnectionsService);
    const { revision, id } = await connections.get(admin, other.connectionId);
    await connections.update(admin, { id, revision, settings: { url: 'http://127.0.0.1:9/mcp' } });
    for (const table of ['connection_accounts', 'connection_clients']) {
      const { rowCount } = await database.query(`select from ${table} where connection_id = $1`, [id]);
      expect(rowCount).toBe(0);
    }
  });
});

/** Waits for requests to the other system that follow a commit here. */
async function until(isIt: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; !isIt(); await new Promise((resolve) => setTimeout(resolve, 10)))
    if (Date.now() > end) throw new Error('timed out');
}

const askFirst = '@id("ask") @approval("review") permit (principal, action, resource);';

async function open(as: Principal) {
  const connections = server.app.get(ConnectionsService);
  const connection = await connections.get(as, accountFixture.connectionId);
  return connections.open(as, connection, AbortSignal.timeout(5000));
}

const aCall = {
  operation: 'tool',
  tool: 'whoami',
  inputSchema: { type: 'object' },
  outputSchema: null,
  arguments: {},
  idempotencyKey: 'a key',
} as const;
