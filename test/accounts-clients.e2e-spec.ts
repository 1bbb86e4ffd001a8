import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { AccountUpstream } from './kit/account-upstream.js';
import { AccountFixture, pageNotice } from './kit/account-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { AccountProvider } from './kit/account-provider.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
});
afterAll(() => server.close());

describe('at a server that registers clients', () => {
  let upstream: AccountUpstream;
  let accountFixture: AccountFixture;
  let bo: Member;
  beforeAll(async () => {
    upstream = await AccountUpstream.start();
    accountFixture = await AccountFixture.create(server, upstream, lark, {}, {}, 'open');
    await accountFixture.connectAsAdmin();
    bo = await accountFixture.member('Bo Member');
  });
  afterAll(() => upstream.close());
  const registrations = () => upstream.provider.registrations.length;

  it('a client that was forgotten over there while a person was on the way is made anew the next time', async () => {
    const before = registrations();
    const browser = await accountFixture.browser(bo);
    const back = await accountFixture.signInUpstream(browser, 'bo over there');
    upstream.provider.deleteRows('Client');
    const arrived = await browser.fetch(back);
    expect([arrived.status, pageNotice(await arrived.text())]).toEqual([
      502,
      expect.stringContaining('invalid_client'),
    ]);
    await accountFixture.connect(bo, 'bo over there');
    expect(registrations()).toBe(before + 1);
  });

  it('a client that was forgotten since ends its accounts, and is made anew the next time', async () => {
    const before = registrations();
    upstream.provider.deleteRows('Client', 'AccessToken');
    expect(await accountFixture.callText(bo)).toMatch(/^failed: .*invalid_client/);
    await accountFixture.connect(bo, 'bo over there');
    expect(registrations()).toBe(before + 1);
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });

  it('a connection that is saved anew registers anew, and keeps its accounts', async () => {
    const before = registrations();
    await change(accountFixture, { timeoutSeconds: 6 });
    await accountFixture.connect(await accountFixture.member('Cy Member'), 'cy over there');
    expect(registrations()).toBe(before + 1);
    upstream.provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });
});

describe('at a server that registers none', () => {
  const client = { client_id: 'countersign', client_secret: 'a secret of the server' };
  const entered = { clientId: client.client_id };
  let upstream: AccountUpstream;
  let accountFixture: AccountFixture;
  beforeAll(async () => {
    upstream = await AccountUpstream.start({ allowsRegistration: false });
    accountFixture = await AccountFixture.create(server, upstream, lark, {}, {}, 'closed');
  });
  afterAll(() => upstream.close());
  const callback = () => `${server.url}/connections/${accountFixture.connectionId}/callback`;

  it('an administrator is told which address to register', async () => {
    const browser = await accountFixture.browser(accountFixture.admin);
    const page = await accountFixture.startConnect(browser);
    expect(pageNotice(page)).toContain(`registers one there, with the address ${callback()}`);
  });

  it('people connect with the client that was entered', async () => {
    upstream.provider.register({ ...client, redirect_uris: [callback()] });
    await change(accountFixture, entered, { clientSecret: client.client_secret });
    await accountFixture.connectAsAdmin();
    upstream.provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(accountFixture.admin)).toBe('whoami of ada over there');
  });

  it('its secret is not shown to another authorization server that the upstream names later', async () => {
    const other = await AccountProvider.start({ allowsRegistration: false });
    upstream.fail({ resource: (metadata) => ({ ...metadata, authorization_servers: [other.issuer] }) });
    const bo = await accountFixture.member('Bo Member');
    const leave = async () =>
      pageNotice(await (await (await accountFixture.browser(bo)).submit(accountFixture.connectPath)).text());
    const another = `another authorization server (${other.issuer} instead of ${upstream.provider.issuer})`;
    expect(await leave()).toContain(another);
    await accountFixture.confirmSignInServer();
    expect(await leave()).toContain(`another authorization server than before (${other.issuer} instead of`);
    await change(accountFixture, { timeoutSeconds: 7 });
    expect(await leave()).toBeUndefined();
    expect(other.requestedGrantTypes).toEqual([]);
    await other.close();
  });

  it('goes when another client is entered', async () => {
    upstream.clearFaults();
    await change(accountFixture, { clientId: 'another' });
    expect(await accountFixture.callText(accountFixture.admin)).toMatch(/^failed: .*account of one’s own/);
  });
});

describe('what an administrator enters', () => {
  it.each([
    [{ credentials: 'personal', header: 'X-Api-Key' }, '/settings/header'],
    [{ clientId: 'a client', credentials: 'shared' }, '/settings/clientId'],
    [{ credentials: 'everybody' }, '/settings/credentials'],
  ])('%j is refused', async (settings, pointer) => {
    const upstream = { url: 'http://127.0.0.1:9/mcp' } as AccountUpstream;
    await expect(AccountFixture.create(server, upstream, lark, settings, {}, 'wrong')).rejects.toMatchObject({
      code: 'invalid-request',
      errors: [expect.objectContaining({ pointer })],
    });
  });
});

it('the document about us names its own address, and the one address that it is for', async () => {
  const address = `${server.url}/connections/01a1fa66-a42d-76b8-9c7a-286bcacac53e/client.json`;
  const response = await fetch(address);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await response.json()).toMatchObject({
    client_id: address,
    redirect_uris: [address.replace('client.json', 'callback')],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  });
});

async function change(accountFixture: AccountFixture, settings: Record<string, unknown>, secrets = {}): Promise<void> {
  const admin = await accountFixture.principalOf(accountFixture.admin);
  const connections = server.app.get(ConnectionsService);
  const { id, revision } = await connections.get(admin, accountFixture.connectionId);
  await connections.update(admin, { id, revision, settings, secrets });
}
