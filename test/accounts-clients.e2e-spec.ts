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

describe('a server with client registration', () => {
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

  it('gets a new client after it lost the old one during a sign-in', async () => {
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

  it('ends the accounts of a client that it lost, and gets a new one at the next sign-in', async () => {
    const before = registrations();
    upstream.provider.deleteRows('Client', 'AccessToken');
    expect(await accountFixture.callText(bo)).toMatch(/^failed: .*invalid_client/);
    await accountFixture.connect(bo, 'bo over there');
    expect(registrations()).toBe(before + 1);
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });

  it('gets a new client after the connection changed, and existing accounts keep working', async () => {
    const before = registrations();
    await change(accountFixture, { timeoutSeconds: 6 });
    await accountFixture.connect(await accountFixture.member('Cy Member'), 'cy over there');
    expect(registrations()).toBe(before + 1);
    upstream.provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });
});

describe('a server without client registration', () => {
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

  it('shows an administrator which redirect URI to register', async () => {
    const browser = await accountFixture.browser(accountFixture.admin);
    const page = await accountFixture.startConnect(browser);
    expect(pageNotice(page)).toContain(`must register a client there with the redirect URI ${callback()}`);
  });

  it('accepts people with the client that was entered', async () => {
    upstream.provider.register({ ...client, redirect_uris: [callback()] });
    await change(accountFixture, entered, { clientSecret: client.client_secret });
    await accountFixture.connectAsAdmin();
    upstream.provider.deleteRows('AccessToken');
    expect(await accountFixture.callText(accountFixture.admin)).toBe('whoami of ada over there');
  });

  it('cannot obtain the client secret for another authorization server that it names later', async () => {
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

  it('loses its accounts when another client is entered', async () => {
    upstream.clearFaults();
    await change(accountFixture, { clientId: 'another' });
    expect(await accountFixture.callText(accountFixture.admin)).toMatch(/^failed: .*requires your own account/);
  });
});

describe('account settings', () => {
  it.each([
    [{ credentials: 'personal', header: 'X-Api-Key' }, '/settings/header'],
    [{ clientId: 'a client', credentials: 'shared' }, '/settings/clientId'],
    [{ credentials: 'everybody' }, '/settings/credentials'],
  ])('reject %j', async (settings, pointer) => {
    const upstream = { url: 'http://127.0.0.1:9/mcp' } as AccountUpstream;
    await expect(AccountFixture.create(server, upstream, lark, settings, {}, 'wrong')).rejects.toMatchObject({
      code: 'invalid-request',
      errors: [expect.objectContaining({ pointer })],
    });
  });
});

it('serves a client metadata document with its own URL and one redirect URI', async () => {
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
