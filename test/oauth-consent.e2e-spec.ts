import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { Browser, formsOf } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, productRedirectUri, newVerifier, type Product, followAuthorization } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

const phrase = 'four plain words here';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor', password: phrase });
  moor = await anOrganization(server, { name: 'Moorland', password: phrase });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

/** Follows redirects from the product to the first page that waits for the person. */
async function open(product: Product, browser: Browser, changes: Record<string, string> = {}) {
  let path = product.authorizePath(newVerifier(), changes);
  for (;;) {
    const response = await browser.fetch(path);
    const location = response.headers.get('location');
    if (!location) return { path, response, page: await response.text() };
    path = location;
  }
}
const decide = async (browser: Browser, page: string, decision: string, origin?: string) => {
  const [{ action, hidden }] = formsOf(page);
  return browser.post(action, { ...hidden, decision }, origin);
};

describe('the consent page', () => {
  it('shows the product, its redirect host, the requested access, the organization and the person', async () => {
    const product = await aProduct(server, lark, { name: 'Portal', description: 'Our own portal' });
    const { response, page } = await open(product, await lark.browser(), { scope: 'api:write' });
    for (const fact of ['Portal', 'product.example', 'Our own portal', 'Larkmoor', lark.admin.name, lark.admin.email])
      expect(page).toContain(fact);
    expect(page).toMatch(/Look things up for you/);
    expect(page).toMatch(/Make changes for you/);
    expect(page).not.toMatch(/<script/);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https://product.example; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('names the configuration of a product that targets MCP', async () => {
    const { id } = await server.app.get(ConfigurationsService).create(lark.system, {
      name: 'Support desk',
      description: '',
      connectionIds: [],
      groupIds: [],
    });
    const product = await aProduct(server, lark, { target: 'mcp', configurationId: id });
    expect((await open(product, await lark.browser())).page).toContain('Support desk');
  });

  it('marks lookalike letters in a name', async () => {
    const product = await aProduct(server, lark, { name: 'Рaypal' });
    expect((await open(product, await lark.browser())).page).toMatch(/<mark title="Letters of/);
  });

  it('redirects a person who declines to the product with an error', async () => {
    const product = await aProduct(server, lark);
    const { back } = await product.authorize(await lark.browser(), { decision: 'decline' });
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the person declined',
      state: 'a state',
      iss: server.url,
    });
    await expect(product.authorize(await lark.browser())).resolves.toMatchObject({ asked: true });
    const events = (await server.app.get(AuditLogService).list(lark.system, { first: 2 })).nodes;
    expect(events.map(({ kind }) => kind)).toContain('consent.granted');
    await expect(
      server.app.get(AuditLogService).list(lark.system, { first: 1 }, { kind: 'consent.declined' }),
    ).resolves.toMatchObject({
      nodes: [{ subject: { type: 'client', id: product.id }, detail: { scopes: ['api:read'] } }],
    });
  });

  it('asks once, and for additional scopes it shows what is new', async () => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    await product.authorize(browser);
    await expect(product.authorize(browser)).resolves.toMatchObject({ asked: false });
    const { page } = await open(product, browser, { scope: 'api:write' });
    expect(page).toMatch(/New permissions<\/dt>\s*<dd><ul>\s*<li>Make changes/);
    expect(page).toMatch(/Already allowed<\/dt>\s*<dd><ul>\s*<li>Look things up/);
    await expect(product.authorize(browser, { scope: 'api:write' })).resolves.toMatchObject({ asked: true });
    await expect(product.authorize(browser, { scope: 'api:write' })).resolves.toMatchObject({ asked: false });
    await expect(product.authorize(browser, { prompt: 'consent' })).resolves.toMatchObject({ asked: true });
  });

  it('asks each person separately', async () => {
    const product = await aProduct(server, lark);
    await product.authorize(await lark.browser());
    await expect(product.authorize(await lark.browser(await lark.member()))).resolves.toMatchObject({ asked: true });
  });

  it.each([
    [
      'after the product has changed',
      (product: Product) =>
        server.app.get(ClientsService).update(lark.system, { clientId: product.id, name: `New ${product.id}` }),
    ],
    ['after a year', () => owner.query(`update oauth_consents set expires_at = now() - interval '1 second'`)],
  ])('asks again %s', async (_, change) => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    await product.authorize(browser);
    await change(product);
    await expect(product.authorize(browser)).resolves.toMatchObject({ asked: true });
  });

  it('asks every time for a program on the person’s own machine', async () => {
    const native = await aProduct(server, lark, { isNative: true, redirectUris: ['http://127.0.0.1:33418/back'] });
    const browser = await lark.browser();
    expect((await open(native, browser)).page).toContain('runs on your own machine');
    await expect(native.authorize(browser)).resolves.toMatchObject({ asked: true });
    await expect(native.authorize(browser)).resolves.toMatchObject({ asked: true });
  });
});

describe('a waiting authorization request', () => {
  it('sends a person who is not signed in to the sign-in page and continues afterwards', async () => {
    const product = await aProduct(server, lark);
    const stranger = new Browser(server.url);
    const { path } = await open(product, stranger);
    expect(path).toMatch(new RegExp(`^/sign-in\\?organization=${lark.tenant.slug}&next=%2Fconsent%2F`));
    const signedIn = await stranger.submit(path, { email: lark.admin.email, password: phrase });
    const { back, asked } = await followAuthorization(stranger, server.url, signedIn.headers.get('location')!);
    expect([asked, back.searchParams.has('code')]).toEqual([true, true]);
  });

  it('requires a new sign-in if the product requests it', async () => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    await product.authorize(browser);
    const { path } = await open(product, browser, { prompt: 'login' });
    expect(path).toMatch(/^\/confirm\?next=\/consent\//);
    const confirmed = await browser.submit(path, { password: phrase });
    const { back, asked } = await followAuthorization(browser, server.url, confirmed.headers.get('location')!);
    expect([asked, back.searchParams.has('code')]).toEqual([false, true]);
  });

  it('lets only members of its organization continue; others can switch or go back', async () => {
    const product = await aProduct(server, lark);
    const browser = await moor.browser();
    const { response, page } = await open(product, browser);
    expect(response.status).toBe(403);
    expect(page).toMatch(/signed in as[\s\S]*Moorland[\s\S]*only for members of[\s\S]*Larkmoor/);
    await expect(decide(browser, page, 'approve')).resolves.toMatchObject({ status: 403 });
    const declined = await product.authorize(await moor.browser(), { decision: 'decline' });
    expect(declined.back.searchParams.get('error')).toBe('access_denied');

    const switched = await decide(browser, page, 'switch');
    const signIn = switched.headers.get('location')!;
    expect(signIn).toContain(`organization=${lark.tenant.slug}`);
    const signedIn = await browser.submit(signIn, { email: lark.admin.email, password: phrase });
    const { back } = await followAuthorization(browser, server.url, signedIn.headers.get('location')!);
    expect(back.searchParams.has('code')).toBe(true);
  });

  it('accepts a decision only in the browser in which it began and only from our own page', async () => {
    const product = await aProduct(server, lark);
    const [browser, other] = [await lark.browser(), await lark.browser()];
    const { path, page } = await open(product, browser);
    expect((await other.fetch(path)).status).toBe(410);
    expect((await decide(other, page, 'approve')).status).toBe(410);
    expect((await decide(browser, page, 'approve', 'https://evil.example')).status).toBe(403);
    const [{ action, hidden }] = formsOf(page);
    expect((await browser.post(action, { ...hidden, csrf: 'x', decision: 'approve' })).status).toBe(403);
    expect((await browser.post(action, { ...hidden, decision: 'perhaps' })).status).toBe(400);
    expect((await decide(browser, page, 'approve')).status).toBe(303);
  });

  it('asks again if another person signs in after the approval', async () => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    const { page } = await open(product, browser);
    const approved = await decide(browser, page, 'approve');
    await browser.submit('/sign-out');
    await browser.submit(`/sign-in?organization=${moor.tenant.slug}`, { email: moor.admin.email, password: phrase });
    const { asked, back } = await followAuthorization(
      browser,
      server.url,
      approved.headers.get('location')!,
      'decline',
    );
    expect([asked, back.searchParams.get('error')]).toEqual([true, 'access_denied']);
  });

  it.each([
    ['signed out', async (browser: Browser) => void (await browser.submit('/sign-out'))],
    [
      'been replaced by another person',
      async (browser: Browser) => {
        const other = await lark.member({ password: phrase });
        await browser.submit('/sign-out');
        await browser.submit(`/sign-in?organization=${lark.tenant.slug}`, { email: other.email, password: phrase });
      },
    ],
  ])('drops the sign-in once the person has %s', async (_, leave) => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    await product.authorize(browser);
    const { path } = await open(product, browser, { prompt: 'login' });
    const confirmed = await browser.submit(path, { password: phrase });
    const page = await (await browser.fetch(confirmed.headers.get('location')!)).text();
    const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)![1];
    await leave(browser);
    const resumed = await browser.fetch(onward);
    expect([resumed.status, resumed.headers.get('location')]).toEqual([303, expect.stringMatching(/^\/consent\//)]);
  });

  it('redirects to no redirect URI that was removed in the meantime', async () => {
    const removedUri = 'https://product.example/gone';
    const product = await aProduct(server, lark, { redirectUris: [productRedirectUri, removedUri] });
    const waiting = await lark.browser();
    const { path, page } = await open(product, waiting, { redirect_uri: removedUri });
    const approving = await lark.browser();
    const shown = await open(product, approving, { redirect_uri: removedUri });
    const onward = (await decide(approving, shown.page, 'approve')).headers.get('location')!;
    const code = await product.code(lark.admin, { redirect_uri: removedUri });
    await server.app
      .get(ClientsService)
      .update(lark.system, { clientId: product.id, redirectUris: [productRedirectUri] });
    for (const decision of ['approve', 'decline']) expect((await decide(waiting, page, decision)).status).toBe(410);
    expect((await waiting.fetch(path)).status).toBe(410);
    const resumed = await approving.fetch(onward);
    expect([resumed.status, resumed.headers.get('location')]).toEqual([400, null]);
    await expect(product.exchange(code)).resolves.toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('accepts consent only for the registration that the page showed', async () => {
    const product = await aProduct(server, lark, { name: 'What it says', scopes: ['api:read'] });
    const browser = await lark.browser();
    const { path, page } = await open(product, browser);
    await server.app.get(ClientsService).update(lark.system, { clientId: product.id, name: 'What it is' });
    const outdated = await decide(browser, page, 'approve');
    expect(outdated.status).toBe(409);
    expect(await outdated.text()).toContain('Product changed in the meantime');
    const reloadedPage = await (await browser.fetch(path)).text();
    expect(reloadedPage).toContain('What it is');
    expect((await decide(browser, reloadedPage, 'approve')).status).toBe(303);
  });

  it('cannot be reopened after the decision', async () => {
    const product = await aProduct(server, lark);
    const browser = await lark.browser();
    const { path, page } = await open(product, browser);
    const onward = (await decide(browser, page, 'approve')).headers.get('location')!;
    const done = await browser.fetch(onward);
    expect(done.headers.get('location')).toMatch(`${productRedirectUri}?code=`);
    expect((await browser.fetch(onward)).status).toBe(400);
    expect((await browser.fetch(path)).status).toBe(410);
  });

  it('stores no usable identifier', async () => {
    const product = await aProduct(server, lark);
    const { path } = await open(product, await lark.browser());
    const { rows } = await owner.query<{ row: string }>(
      `select r::text as row from oauth_rows r where model = 'Interaction'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(path.split('/').at(-1)!);
  });
});
