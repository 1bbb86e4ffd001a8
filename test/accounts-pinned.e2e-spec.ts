import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { formsOf } from './kit/browser.js';
import { noticeOf, Notes } from './kit/notes.js';
import { PeoplesProvider } from './kit/peoples-provider.js';

/* The connected server chooses the page that people are sent to: nobody goes where no administrator has agreed to. */

let notes: Notes;
let elsewhere: PeoplesProvider;
let bo: Member;
beforeAll(async () => {
  [notes, elsewhere] = await Promise.all([Notes.start(), PeoplesProvider.start()]);
  elsewhere.resource = notes.upstream.url;
  bo = await notes.member('Bo Member');
});
afterAll(async () => {
  await notes.close();
  await elsewhere.close();
});
beforeEach(() => {
  notes.upstream.behave();
  notes.upstream.provider.behave();
});

async function leave(member: Member, form: Record<string, string> = {}) {
  const response = await (await notes.browser(member)).submit(notes.page, form);
  const page = await response.text();
  return {
    status: response.status,
    page,
    notice: noticeOf(page),
    onward: /http-equiv="refresh"/.test(page),
    confirmation: formsOf(page).find(({ hidden }) => hidden.confirmed),
  };
}
const pendingServer = async () => {
  const query = `query ($id: ID!) { connection(id: $id) {
    pendingAuthorizationServer { issuer authorizationEndpoint confirmedIssuer foundAt } } }`;
  const { data } = await (await notes.organization.as())(query, { id: notes.connectionId });
  return data.connection.pendingAuthorizationServer as unknown;
};
const sendElsewhere = () =>
  notes.upstream.fail({ resource: (metadata) => ({ ...metadata, authorization_servers: [elsewhere.issuer] }) });

describe('the sign-in server of an integration', () => {
  it('is shown to an administrator at set-up, and used by nobody before that', async () => {
    const early = await leave(bo);
    expect(early).toMatchObject({ status: 409, onward: false });
    expect(early.notice).toContain('No administrator has confirmed');
    expect(await pendingServer()).toMatchObject({ issuer: notes.upstream.provider.issuer, confirmedIssuer: null });
    const shown = await leave(notes.admin);
    expect(shown).toMatchObject({ status: 200, onward: false });
    expect(shown.page).toContain(new URL(notes.upstream.provider.issuer).host);
    expect(shown.confirmation).toBeDefined();
    expect((await leave(notes.admin, { confirmed: 'something else' })).onward).toBe(false);
    expect((await leave(bo)).status).toBe(409);
    await notes.open();
    expect(await pendingServer()).toBeNull();
    expect((await leave(bo)).onward).toBe(true);
  });

  it('is held back when the server names another one, until an administrator has seen it', async () => {
    sendElsewhere();
    const blocked = await leave(bo);
    expect(blocked).toMatchObject({ status: 409, onward: false });
    expect(blocked.notice).toContain(
      `another authorization server (${elsewhere.issuer} instead of ${notes.upstream.provider.issuer})`,
    );
    const shown = await leave(notes.admin);
    expect(shown.onward).toBe(false);
    expect(shown.page).toContain(elsewhere.issuer);
    expect(shown.page).toContain(`Confirmed before: ${notes.upstream.provider.issuer}`);
    expect(blocked.notice).toContain('Ask an administrator to review it');
    expect((await leave(bo)).status).toBe(409);
    expect(await pendingServer()).toEqual({
      issuer: elsewhere.issuer,
      authorizationEndpoint: expect.stringContaining(elsewhere.issuer),
      confirmedIssuer: notes.upstream.provider.issuer,
      foundAt: expect.any(String),
    });
    await expect(notes.ask(notes.admin)).resolves.toBe('whoami of ada over there');
  });

  it('is usable again once the server names the confirmed one', async () => {
    expect((await leave(bo)).onward).toBe(true);
    expect(await pendingServer()).toBeNull();
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])(
    'is held back when its %s changes',
    async (endpoint) => {
      const change = { [endpoint]: `${elsewhere.issuer}/taken-over` };
      notes.upstream.provider.fail({ metadata: (metadata) => ({ ...metadata, ...change }) });
      expect(await leave(bo)).toMatchObject({
        status: 409,
        onward: false,
        notice: expect.stringContaining('names other endpoints of its authorization server'),
      });
      expect((await leave(notes.admin)).onward).toBe(false);
    },
  );

  it('takes the confirmation for exactly what was shown', async () => {
    sendElsewhere();
    const { confirmation } = await leave(notes.admin);
    notes.upstream.behave();
    notes.upstream.provider.fail({
      metadata: (metadata) => ({ ...metadata, token_endpoint: `${elsewhere.issuer}/t` }),
    });
    expect((await leave(notes.admin, { confirmed: confirmation!.hidden.confirmed })).onward).toBe(false);
  });

  it('lets nobody but an administrator confirm', async () => {
    sendElsewhere();
    const { confirmation } = await leave(notes.admin);
    expect((await leave(bo, { confirmed: confirmation!.hidden.confirmed })).status).toBe(409);
    expect((await leave(notes.admin, { confirmed: confirmation!.hidden.confirmed })).onward).toBe(true);
    expect((await leave(bo)).onward).toBe(true);
  });
});
