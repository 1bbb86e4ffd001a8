import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import { Notes, noticeOf } from './kit/notes.js';
import { anOrganization } from './kit/organization.js';
import type { TestServer } from './kit/server.js';

let server: TestServer;
let upstream: AccountUpstream;
let notes: Notes;
let bo: Member;
beforeAll(async () => {
  notes = await Notes.start({ name: 'Larkmoor' });
  ({ server, upstream } = notes);
  bo = await notes.member('Bo Member');
});
afterAll(() => notes.close());

describe('a connection with personal credentials', () => {
  it('lists nothing before an administrator has connected an account, and says where', async () => {
    const connection = await server.app
      .get(ConnectionsService)
      .get(await notes.person(notes.admin), notes.connectionId);
    expect(connection).toMatchObject({ status: 'failed', statusReason: expect.stringContaining(notes.page) });
    expect(await notes.tools()).toEqual([]);
    expect(upstream.visits).toEqual([]);
  });

  it('lists its tools with the first account of an administrator', async () => {
    await notes.connect(notes.admin, 'ada over there');
    expect(await notes.tools()).toEqual(['notes__whoami', 'notes__write_note']);
  });

  it('registers itself once, whoever connects', async () => {
    await notes.connect(bo, 'bo over there');
    expect(upstream.provider.registrations).toEqual(['POST']);
  });

  it('carries each person’s calls out with that person’s own account', async () => {
    expect(await notes.ask(notes.admin)).toBe('whoami of ada over there');
    expect(await notes.ask(bo)).toBe('whoami of bo over there');
  });

  it('tells who has no account where to connect one, and sends nothing', async () => {
    const cy = await notes.member('Cy Member');
    upstream.visits.length = 0;
    const outcome = await notes.call(cy);
    expect(outcome).toMatchObject({ state: 'failed', reason: expect.stringContaining(server.url + notes.page) });
    expect(upstream.visits.filter(({ asked }) => asked === 'tools/call')).toEqual([]);
  });
});

describe('who has connected an account', () => {
  const query = `query ($id: ID!, $after: String) {
    connection(id: $id) { accounts(first: 1, after: $after) {
      nodes { name issuer listsTools endedReason } totalCount pageInfo { hasNextPage endCursor } } } }`;

  it('is told to administrators, by name and without anything secret', async () => {
    const ask = await notes.organization.as();
    const at = async (after?: string) => (await ask(query, { id: notes.connectionId, after })).data.connection.accounts;
    const first = await at();
    expect(first).toMatchObject({
      nodes: [{ name: notes.admin.name, issuer: upstream.provider.issuer, listsTools: true, endedReason: null }],
      totalCount: 2,
      pageInfo: { hasNextPage: true },
    });
    const second = await at(first.pageInfo.endCursor);
    expect(second.nodes).toMatchObject([{ name: bo.name, listsTools: false }]);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  it('is nobody else’s business', async () => {
    const ask = await notes.organization.as(bo);
    expect((await ask(query, { id: notes.connectionId })).code).toBe('forbidden');
  });
});

describe('the pages', () => {
  it('show what is connected, and end it here and over there', async () => {
    const cy = await notes.member('Cy Member');
    const browser = await notes.connect(cy, 'cy over there');
    expect(await (await browser.fetch('/connections')).text()).toContain('Notes');
    const grants = upstream.provider.count('RefreshToken');
    expect((await notes.disconnect(browser)).status).toBe(303);
    expect(upstream.provider.count('RefreshToken')).toBe(grants - 1);
    expect(await notes.ask(cy)).toMatch(/^failed: .*it is used with an account of one’s own/);
    expect(await (await browser.fetch('/connections')).text()).toContain('You have connected no account');
  });

  it('know of nothing that the person may not use', async () => {
    const stranger = await notes.browser(await notes.organization.member({ name: 'Sam Stranger' }));
    expect((await stranger.fetch(notes.page)).status).toBe(404);
    const elsewhere = await anOrganization(server);
    expect((await (await elsewhere.browser()).fetch(notes.page)).status).toBe(404);
  });

  it('say what the other side refused', async () => {
    const browser = await notes.browser(bo);
    const back = new URL(await notes.goThere(browser, 'bo over there'));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    const arrived = await browser.fetch(back.href);
    expect(arrived.status).toBe(403);
    expect(noticeOf(await arrived.text())).toContain('access_denied');
    expect(await notes.ask(bo)).toBe('whoami of bo over there');
  });
});
