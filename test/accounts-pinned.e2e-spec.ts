import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { formsOf } from './kit/browser.js';
import { pageNotice, AccountFixture } from './kit/account-fixture.js';
import { AccountProvider } from './kit/account-provider.js';

/* The connected server chooses the sign-in page: no one is sent to a page that no administrator has confirmed. */

let accountFixture: AccountFixture;
let elsewhere: AccountProvider;
let bo: Member;
beforeAll(async () => {
  [accountFixture, elsewhere] = await Promise.all([AccountFixture.start(), AccountProvider.start()]);
  elsewhere.resource = accountFixture.upstream.url;
  bo = await accountFixture.member('Bo Member');
});
afterAll(async () => {
  await accountFixture.close();
  await elsewhere.close();
});
beforeEach(() => {
  accountFixture.upstream.clearFaults();
  accountFixture.upstream.provider.clearFaults();
});

async function leave(member: Member, form: Record<string, string> = {}) {
  const response = await (await accountFixture.browser(member)).submit(accountFixture.connectPath, form);
  const page = await response.text();
  return {
    status: response.status,
    page,
    notice: pageNotice(page),
    onward: /http-equiv="refresh"/.test(page),
    confirmation: formsOf(page).find(({ hidden }) => hidden.confirmed),
  };
}
const pendingServer = async () => {
  const query = `query ($id: ID!) { connection(id: $id) {
    pendingAuthorizationServer { issuer authorizationEndpoint confirmedIssuer foundAt } } }`;
  const { data } = await (await accountFixture.organization.as())(query, { id: accountFixture.connectionId });
  return data.connection.pendingAuthorizationServer as unknown;
};
const sendElsewhere = () =>
  accountFixture.upstream.fail({
    resource: (metadata) => ({ ...metadata, authorization_servers: [elsewhere.issuer] }),
  });

describe('the sign-in server of an integration', () => {
  it('is confirmed by an administrator at set-up, and no one is sent there before', async () => {
    const early = await leave(bo);
    expect(early).toMatchObject({ status: 409, onward: false });
    expect(early.notice).toContain('No administrator has confirmed');
    expect(await pendingServer()).toMatchObject({
      issuer: accountFixture.upstream.provider.issuer,
      confirmedIssuer: null,
    });
    const shown = await leave(accountFixture.admin);
    expect(shown).toMatchObject({ status: 200, onward: false });
    expect(shown.page).toContain(new URL(accountFixture.upstream.provider.issuer).host);
    expect(shown.confirmation).toBeDefined();
    expect((await leave(accountFixture.admin, { confirmed: 'something else' })).onward).toBe(false);
    expect((await leave(bo)).status).toBe(409);
    await accountFixture.connectAsAdmin();
    expect(await pendingServer()).toBeNull();
    expect((await leave(bo)).onward).toBe(true);
  });

  it('blocks sign-ins when the server names another one, until an administrator confirms it', async () => {
    sendElsewhere();
    const blocked = await leave(bo);
    expect(blocked).toMatchObject({ status: 409, onward: false });
    expect(blocked.notice).toContain(
      `another authorization server (${elsewhere.issuer} instead of ${accountFixture.upstream.provider.issuer})`,
    );
    const shown = await leave(accountFixture.admin);
    expect(shown.onward).toBe(false);
    expect(shown.page).toContain(elsewhere.issuer);
    expect(shown.page).toContain(`Confirmed before: ${accountFixture.upstream.provider.issuer}`);
    expect(blocked.notice).toContain('Ask an administrator to review it');
    expect((await leave(bo)).status).toBe(409);
    expect(await pendingServer()).toEqual({
      issuer: elsewhere.issuer,
      authorizationEndpoint: expect.stringContaining(elsewhere.issuer),
      confirmedIssuer: accountFixture.upstream.provider.issuer,
      foundAt: expect.any(String),
    });
    await expect(accountFixture.callText(accountFixture.admin)).resolves.toBe('whoami of ada over there');
  });

  it('is usable again once the server names the confirmed one', async () => {
    expect((await leave(bo)).onward).toBe(true);
    expect(await pendingServer()).toBeNull();
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])(
    'blocks sign-ins when its %s changes',
    async (endpoint) => {
      const change = { [endpoint]: `${elsewhere.issuer}/taken-over` };
      accountFixture.upstream.provider.fail({ metadata: (metadata) => ({ ...metadata, ...change }) });
      expect(await leave(bo)).toMatchObject({
        status: 409,
        onward: false,
        notice: expect.stringContaining('names other endpoints of its authorization server'),
      });
      expect((await leave(accountFixture.admin)).onward).toBe(false);
    },
  );

  it('accepts a confirmation only of exactly what was shown', async () => {
    sendElsewhere();
    const { confirmation } = await leave(accountFixture.admin);
    accountFixture.upstream.clearFaults();
    accountFixture.upstream.provider.fail({
      metadata: (metadata) => ({ ...metadata, token_endpoint: `${elsewhere.issuer}/t` }),
    });
    expect((await leave(accountFixture.admin, { confirmed: confirmation!.hidden.confirmed })).onward).toBe(false);
  });

  it('can be confirmed only by an administrator', async () => {
    sendElsewhere();
    const { confirmation } = await leave(accountFixture.admin);
    expect((await leave(bo, { confirmed: confirmation!.hidden.confirmed })).status).toBe(409);
    expect((await leave(accountFixture.admin, { confirmed: confirmation!.hidden.confirmed })).onward).toBe(true);
    expect((await leave(bo)).onward).toBe(true);
  });
});
