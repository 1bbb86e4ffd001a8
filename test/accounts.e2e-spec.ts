import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import { AccountFixture, pageNotice } from './kit/account-fixture.js';
import { anOrganization } from './kit/organization.js';
import type { TestServer } from './kit/server.js';

let server: TestServer;
let upstream: AccountUpstream;
let accountFixture: AccountFixture;
let bo: Member;
beforeAll(async () => {
  accountFixture = await AccountFixture.start({ name: 'Larkmoor' });
  ({ server, upstream } = accountFixture);
  bo = await accountFixture.member('Bo Member');
});
afterAll(() => accountFixture.close());

describe('a connection with personal credentials', () => {
  it('lists nothing before an administrator connects an account, and links to the page', async () => {
    const connection = await server.app
      .get(ConnectionsService)
      .get(await accountFixture.principalOf(accountFixture.admin), accountFixture.connectionId);
    expect(connection).toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining(accountFixture.connectPath),
    });
    expect(await accountFixture.toolNames()).toEqual([]);
    expect(upstream.receivedRequests).toEqual([]);
  });

  it('lists its tools with the first account of an administrator', async () => {
    await accountFixture.connect(accountFixture.admin, 'ada over there');
    expect(await accountFixture.toolNames()).toEqual(['notes__whoami', 'notes__write_note']);
  });

  it('registers one client for all people', async () => {
    await accountFixture.connect(bo, 'bo over there');
    expect(upstream.provider.registrations).toEqual(['POST']);
  });

  it('executes each person’s calls with that person’s own account', async () => {
    expect(await accountFixture.callText(accountFixture.admin)).toBe('whoami of ada over there');
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });

  it('links a person without an account to the page and sends nothing', async () => {
    const cy = await accountFixture.member('Cy Member');
    upstream.receivedRequests.length = 0;
    const outcome = await accountFixture.call(cy);
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(server.url + accountFixture.connectPath),
    });
    expect(upstream.receivedRequests.filter(({ rpcMethod }) => rpcMethod === 'tools/call')).toEqual([]);
  });
});

describe('the list of connected accounts', () => {
  const query = `query ($id: ID!, $after: String) {
    connection(id: $id) { accounts(first: 1, after: $after) {
      nodes { name issuer listsTools endedReason } totalCount pageInfo { hasNextPage endCursor } } } }`;

  it('is shown to administrators, by name and without secrets', async () => {
    const ask = await accountFixture.organization.as();
    const at = async (after?: string) =>
      (await ask(query, { id: accountFixture.connectionId, after })).data.connection.accounts;
    const first = await at();
    expect(first).toMatchObject({
      nodes: [
        { name: accountFixture.admin.name, issuer: upstream.provider.issuer, listsTools: true, endedReason: null },
      ],
      totalCount: 2,
      pageInfo: { hasNextPage: true },
    });
    const second = await at(first.pageInfo.endCursor);
    expect(second.nodes).toMatchObject([{ name: bo.name, listsTools: false }]);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  it('is forbidden for others', async () => {
    const ask = await accountFixture.organization.as(bo);
    expect((await ask(query, { id: accountFixture.connectionId })).code).toBe('forbidden');
  });
});

describe('the account pages', () => {
  it('show a connected account, and disconnect it here and at the server', async () => {
    const cy = await accountFixture.member('Cy Member');
    const browser = await accountFixture.connect(cy, 'cy over there');
    expect(await (await browser.fetch('/connections')).text()).toContain('Notes');
    const grants = upstream.provider.countRows('RefreshToken');
    expect((await accountFixture.disconnect(browser)).status).toBe(303);
    expect(upstream.provider.countRows('RefreshToken')).toBe(grants - 1);
    expect(await accountFixture.callText(cy)).toMatch(/^failed: .*it requires your own account/);
    expect(await (await browser.fetch('/connections')).text()).toContain('No connected accounts yet');
  });

  it('do not exist for connections that the person may not use', async () => {
    const stranger = await accountFixture.browser(await accountFixture.organization.member({ name: 'Sam Stranger' }));
    expect((await stranger.fetch(accountFixture.connectPath)).status).toBe(404);
    const elsewhere = await anOrganization(server);
    expect((await (await elsewhere.browser()).fetch(accountFixture.connectPath)).status).toBe(404);
  });

  it('show the error of the authorization server', async () => {
    const browser = await accountFixture.browser(bo);
    const back = new URL(await accountFixture.signInUpstream(browser, 'bo over there'));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    const arrived = await browser.fetch(back.href);
    expect(arrived.status).toBe(403);
    expect(pageNotice(await arrived.text())).toContain('access_denied');
    expect(await accountFixture.callText(bo)).toBe('whoami of bo over there');
  });
});
