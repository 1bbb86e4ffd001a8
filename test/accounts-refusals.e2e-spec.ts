import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import type { Browser } from './kit/browser.js';
import { AccountFixture, pageNotice } from './kit/account-fixture.js';
import type { AccountProvider } from './kit/account-provider.js';
import type { TestServer } from './kit/server.js';

let server: TestServer;
let upstream: AccountUpstream;
let provider: AccountProvider;
let database: pg.Pool;
let accountFixture: AccountFixture;
let bo: Member;
let browser: Browser;
beforeAll(async () => {
  accountFixture = await AccountFixture.start();
  ({ server, upstream } = accountFixture);
  provider = upstream.provider;
  database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  await accountFixture.connectAsAdmin();
  bo = await accountFixture.member('Bo Member');
});
afterAll(async () => {
  await database.end();
  await accountFixture.close();
});

beforeEach(async () => {
  upstream.clearFaults();
  provider.clearFaults();
  browser = await accountFixture.browser(bo);
});

const none = /^failed: .*it requires your own account/;
/** The status of the page and its error notice. */
async function answerTo(address: string, who = browser): Promise<[number, string | undefined]> {
  const response = await who.fetch(address);
  return [response.status, pageNotice(await response.text())];
}

describe('no one is sent to an authorization server', () => {
  const leave = async () => pageNotice(await (await browser.submit(accountFixture.connectPath)).text());

  it.each<[string, RegExp, object]>([
    ['calls itself another one', /Issuer mismatch/, { issuer: 'https://other.example' }],
    ['has no PKCE', /does not offer PKCE with S256/, { code_challenge_methods_supported: undefined }],
    ['has PKCE in the clear only', /does not offer PKCE with S256/, { code_challenge_methods_supported: ['plain'] }],
    ['takes codes without TLS', /non-https/, { authorization_endpoint: 'http://login.example/auth' }],
    ['sends people to a script', /does not follow the protocol/, { authorization_endpoint: 'javascript:alert(1)' }],
    ['gives out no codes', /does not support response type code/, { response_types_supported: ['token'] }],
  ])('that %s', async (_, reason, change) => {
    provider.fail({ metadata: (metadata) => ({ ...metadata, ...change }) });
    expect(await leave()).toMatch(reason);
  });

  it('if the server names another resource than itself', async () => {
    upstream.fail({ resource: (metadata) => ({ ...metadata, resource: 'https://bank.example/mcp' }) });
    expect(await leave()).toMatch(/its tokens are for https:\/\/bank.example\/mcp, which is a different server/);
  });

  it('at a forbidden address', async () => {
    upstream.fail({ resource: (metadata) => ({ ...metadata, authorization_servers: ['http://169.254.169.254'] }) });
    expect(await leave()).toMatch(/169.254.169.254/);
  });

  it('that is down', async () => {
    provider.fail({ respond: (_, response) => Boolean(response.writeHead(503).end()) });
    expect(await leave()).toMatch(/503/);
  });

  it('by a form that another site submits', async () => {
    const { status } = await browser.submit(accountFixture.connectPath, {}, { origin: 'https://other.example' });
    expect(status).toBe(403);
  });
});

describe('no one gets an account', () => {
  it('through another person’s sign-in', async () => {
    const eve = await accountFixture.browser(await accountFixture.member('Eve Member'));
    const others = await accountFixture.signInUpstream(eve, 'eve over there');
    expect(await answerTo(others)).toEqual([400, expect.stringContaining('is in progress in this session')]);
    expect(await accountFixture.callText(bo)).toMatch(none);
    expect((await eve.fetch(others)).status).toBe(303); // the other person can still complete it
  });

  it('in another session than the one that began the sign-in', async () => {
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    const elsewhere = await accountFixture.browser(bo);
    expect((await answerTo(back, elsewhere))[0]).toBe(400);
    expect((await browser.fetch(back)).status).toBe(303);
    await accountFixture.disconnect(browser);
  });

  it('twice from one sign-in', async () => {
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    expect((await browser.fetch(back)).status).toBe(303);
    expect((await answerTo(back))[0]).toBe(400);
    await accountFixture.disconnect(browser);
  });

  it('after the sign-in expired', async () => {
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    await database.query(`update connection_authorizations set expires_at = now() - interval '1 second'`);
    expect((await answerTo(back))[0]).toBe(400);
  });

  it('without being signed in', async () => {
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    const response = await fetch(back, { redirect: 'manual', headers: { accept: 'text/html' } });
    expect(response.headers.get('location')).toMatch(/^\/sign-in\?/);
  });

  it.each<[string, (back: URL) => void, number, RegExp]>([
    ['from another issuer (mix-up)', (back) => back.searchParams.set('iss', 'https://other.example'), 502, /RFC 9207/],
    ['from an issuer that omits the required iss', (back) => back.searchParams.delete('iss'), 502, /RFC 9207/],
    ['with an invalid code', (back) => back.searchParams.set('code', 'made up'), 502, /invalid_grant/],
    ['without a code', (back) => back.searchParams.delete('code'), 502, /neither a code nor an error/],
    ['after declining', (back) => decline(back, 'access_denied'), 403, /access_denied/],
    ['after a server error', (back) => decline(back, 'server_error'), 502, /server_error/],
    [
      'with an unknown state',
      (back) => back.searchParams.set('state', 'made up'),
      400,
      /is in progress in this session/,
    ],
  ])('%s', async (_, change, status, reason) => {
    const back = new URL(await accountFixture.signInUpstream(browser, 'bo over there'));
    change(back);
    expect(await answerTo(back.href)).toEqual([status, expect.stringMatching(reason)]);
    expect(await accountFixture.callText(bo)).toMatch(none);
  });

  it('from another issuer, whose error text is not repeated', async () => {
    const back = new URL(await accountFixture.signInUpstream(browser, 'bo over there'));
    decline(back, 'call_this_number');
    back.searchParams.set('iss', 'https://other.example');
    expect((await answerTo(back.href))[1]).not.toContain('call_this_number');
  });

  it('at another connection than the one of the sign-in', async () => {
    const back = new URL(await accountFixture.signInUpstream(browser, 'bo over there'));
    const other = await AccountFixture.create(server, upstream, accountFixture.organization, {}, {}, 'others');
    await other.addToGroup(bo);
    back.pathname = back.pathname.replace(accountFixture.connectionId, other.connectionId);
    expect((await answerTo(back.href))[0]).toBe(400);
  });

  it('if the token is bound to a key', async () => {
    provider.fail({ tokens: (tokens) => ({ ...tokens, token_type: 'DPoP' }) });
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    expect(await answerTo(back)).toEqual([502, expect.stringContaining('"DPoP"')]);
  });

  it('if the address of the server changed in the meantime', async () => {
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    const admin = await accountFixture.principalOf(accountFixture.admin);
    const connections = server.app.get(ConnectionsService);
    const move = async (url: string) => {
      const { revision, id } = await connections.get(admin, accountFixture.connectionId);
      await connections.update(admin, { id, revision, settings: { url } });
    };
    await move(`${upstream.url}/other`);
    expect((await answerTo(back))[0]).toBe(400);
    await move(upstream.url);
  });
});

const decline = (back: URL, error: string) => {
  back.searchParams.delete('code');
  back.searchParams.set('error', error);
};
