import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import type { Browser } from './kit/browser.js';
import { AccountFixture } from './kit/account-fixture.js';
import type { AccountProvider } from './kit/account-provider.js';
import { type TestServer, testConfig } from './kit/server.js';

let server: TestServer;
let neighbor: RunningServer;
let upstream: AccountUpstream;
let provider: AccountProvider;
let database: pg.Pool;
let accountFixture: AccountFixture;
let bo: Member;
let browser: Browser;
beforeAll(async () => {
  accountFixture = await AccountFixture.start();
  ({ server, upstream } = accountFixture);
  neighbor = await startServer(testConfig(server.databaseUrl, server.folder));
  database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  provider = upstream.provider;
  await accountFixture.connectAsAdmin();
  bo = await accountFixture.member('Bo Member');
});
afterAll(async () => {
  await database.end();
  await neighbor.close();
  await accountFixture.close();
});

beforeEach(async () => {
  upstream.clearFaults();
  provider.clearFaults();
  provider.accessTokenSeconds = 600;
  browser = await accountFixture.connect(bo, 'bo over there');
  provider.requestedGrantTypes.length = 0;
});

const renewals = () => provider.requestedGrantTypes.filter((grant) => grant === 'refresh_token').length;
const own = 'whoami of bo over there';

describe('a token that the server no longer accepts', () => {
  it('is renewed once for twenty calls on two processes', async () => {
    provider.deleteRows('AccessToken');
    provider.fail({ delayMs: 200 });
    const there = accountFixture.at({ ...server, app: neighbor.app });
    const calls = Array.from({ length: 10 }, () => [accountFixture.callText(bo), there.callText(bo)]).flat();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([own]));
    expect(renewals()).toBe(1);
  });

  it('is renewed again when the new one is rejected, too', async () => {
    provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(bo)).toBe(own);
    provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(bo)).toBe(own);
    expect(renewals()).toBe(2);
  });

  it('is renewed after the lease of a killed process expires', async () => {
    provider.deleteRows('AccessToken');
    await database.query(`update connection_accounts set renewing_until = now() + interval '1 second'`);
    expect(await accountFixture.callText(bo)).toBe(own);
    expect(renewals()).toBe(1);
  });
});

describe('a token that is about to expire', () => {
  beforeEach(async () => {
    provider.accessTokenSeconds = 10;
    browser = await accountFixture.connect(bo, 'bo over there');
    provider.requestedGrantTypes.length = 0;
  });

  it('is renewed before it is used', async () => {
    provider.accessTokenSeconds = 600;
    const before = upstream.receivedRequests.length;
    expect(await accountFixture.callText(bo)).toBe(own);
    expect(await accountFixture.callText(bo)).toBe(own);
    expect(renewals()).toBe(1);
    expect(upstream.receivedRequests.slice(before).every(({ sub }) => sub)).toBe(true);
  });

  it('is used until it expires if the authorization server is down', async () => {
    provider.fail({ respond: (path, response) => path === '/token' && Boolean(response.writeHead(503).end()) });
    expect(await accountFixture.callText(bo)).toBe(own);
  });
});

describe('an authorization server that is down', () => {
  it('is reported and ends no account', async () => {
    provider.deleteRows('AccessToken');
    provider.fail({ respond: (path, response) => path === '/token' && Boolean(response.writeHead(503).end()) });
    expect(await accountFixture.callText(bo)).toMatch(/^failed: .*could not be renewed.*The next call tries again/);
    provider.clearFaults();
    expect(await accountFixture.callText(bo)).toBe(own);
  });
});

describe('an account that was revoked at the server', () => {
  beforeEach(() => provider.deleteRows('AccessToken', 'RefreshToken', 'Grant'));
  afterAll(async () => {
    // its grant is gone too, and it lists the tools
    await accountFixture.connect(accountFixture.admin, 'ada over there');
  });

  it('ends, and its person learns where to reconnect it', async () => {
    expect(await accountFixture.call(bo)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(`invalid_grant.*${server.url}${accountFixture.connectPath}`),
    });
    expect(renewals()).toBe(1);
    expect(await accountFixture.callText(bo)).toMatch(/^failed/);
    expect(renewals()).toBe(1);
    expect(await (await browser.fetch('/connections')).text()).toMatch(/This account is disconnected: .*invalid_grant/);
  });

  it('stores no token and is recorded in the audit log', async () => {
    await accountFixture.callText(bo);
    const { rows } = await database.query('select sealed, ended_at from connection_accounts where member_id = $1', [
      bo.id,
    ]);
    expect(rows).toEqual([{ sealed: null, ended_at: expect.any(Date) }]);
    const { nodes } = await server.app
      .get(AuditLogService)
      .list(await accountFixture.principalOf(accountFixture.admin), { first: 1 }, { kind: 'account.ended' });
    expect(nodes[0]).toMatchObject({ subject: { id: accountFixture.connectionId }, detail: { memberId: bo.id } });
  });

  it('works again after it is reconnected', async () => {
    await accountFixture.callText(bo);
    await accountFixture.connect(bo, 'bo over there');
    expect(await accountFixture.callText(bo)).toBe(own);
  });
});

describe('a server that accepts no token', () => {
  it('gets one retry with a new token', async () => {
    await accountFixture.callText(bo);
    upstream.receivedRequests.length = 0;
    upstream.fail({ respond: (response) => void response.writeHead(401).end() });
    expect(await accountFixture.callText(bo)).toMatch(/^failed: .*no longer accepts your account’s access/);
    expect(upstream.receivedRequests.filter(({ rpcMethod }) => rpcMethod === 'tools/call')).toHaveLength(2);
    expect(renewals()).toBe(1);
    upstream.clearFaults();
    expect(await accountFixture.callText(bo)).toBe(own);
  });
});

describe('a call that needs more than was granted', () => {
  it('reports the missing scope, and works after the person reconnects with it', async () => {
    expect(await accountFixture.callText(bo, 'write_note')).toMatch(
      /^failed: .*requires more access than you granted.*\(notes:write\)/,
    );
    expect(await (await browser.fetch(accountFixture.connectPath)).text()).toMatch(
      /The server also requires.*notes:write/s,
    );
    await accountFixture.connect(bo, 'bo over there');
    expect(await accountFixture.callText(bo, 'write_note')).toBe('write_note of bo over there');
    expect(await accountFixture.callText(bo)).toBe(own);
  });
});
