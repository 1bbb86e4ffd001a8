import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHook } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { Browser } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { type OidcAccount, OidcProvider } from './kit/oidc-provider.js';

const phrase = 'four plain words here';
const domain = 'larkmoor.example';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let upstream: OidcProvider;
let larkProvider: { id: string; redirectUri: string };
let owner: pg.Client;

const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
const create = `mutation ($input: CreateSignInProviderInput!) {
  createSignInProvider(input: $input) { id name issuer redirectUri emailDomains createsMembers disabledAt groups { name } }
}`;
const update =
  'mutation ($input: UpdateSignInProviderInput!) { updateSignInProvider(input: $input) { id disabledAt } }';
const events = async (organization: Organization, kind: string) =>
  (await get(AuditLogService).list(organization.system, { first: 50 }, { kind })).nodes;
let counter = 0;
const somebody = (more: Partial<OidcAccount> = {}): OidcAccount => {
  const sub = `person-${++counter}`;
  return { sub, email: `${sub}@${domain}`, email_verified: true, name: `Person ${counter}`, ...more };
};

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  upstream = await OidcProvider.start();
  lark = await anOrganization(server, { name: 'Larkmoor', password: phrase });
  moor = await anOrganization(server, { name: 'Moor' });
  larkProvider = await aProvider(lark, upstream);
});
afterEach(async () => {
  upstream.clearFaults();
  await owner.query('delete from attempts');
});
afterAll(async () => {
  await owner.end();
  await upstream.close();
  await server.close();
});

/** Registers each side at the other, as administrators do. */
async function aProvider(
  organization: Organization,
  at: OidcProvider,
  {
    clientSecret = 'a secret of the upstream',
    ...more
  }: Record<string, unknown> & { clientSecret?: string | null } = {},
): Promise<{ id: string; redirectUri: string }> {
  const ask = await organization.as();
  const clientId = `countersign-${++counter}`;
  const { data, errors } = await ask(create, {
    input: {
      name: 'Larkmoor ID',
      issuer: at.issuer,
      clientId,
      clientSecret,
      emailDomains: [domain],
      createsMembers: true,
      ...more,
    },
  });
  if (errors) throw new Error(JSON.stringify(errors));
  const provider = data.createSignInProvider as { id: string; redirectUri: string };
  at.register({ clientId, clientSecret: clientSecret ?? undefined, redirectUri: provider.redirectUri });
  return provider;
}

const pathOf = (url: string) => url.slice(server.url.length);

/** Goes from the sign-in page to the provider, up to the callback URL. */
async function awayAndBack(browser: Browser, provider = larkProvider, next = '/account', at = upstream) {
  const gone = await browser.fetch(`/sign-in/with/${provider.id}?${new URLSearchParams({ next })}`);
  if (gone.status !== 303) return { gone, back: '' };
  return { gone, back: pathOf(await at.followToCallback(gone.headers.get('location')!)) };
}

async function signIn(account: OidcAccount, { browser = new Browser(server.url), next = '/account' } = {}) {
  upstream.account = account;
  const { back } = await awayAndBack(browser, larkProvider, next);
  return browser.fetch(back);
}

const told = async (response: Response) => ({ status: response.status, text: await response.text() });
const memberOf = async (email: string): Promise<Member | undefined> =>
  (await get(MembersService).list(lark.system, { first: 200 }, { search: email })).nodes[0];

describe('administration of providers', () => {
  it('saves a reachable provider, seals its secret and writes an audit event', async () => {
    const ask = await lark.as();
    const { data } = await ask(
      '{ signInProviders { id name issuer redirectUri emailDomains createsMembers disabledAt } }',
    );
    expect(data.signInProviders).toEqual([
      {
        id: larkProvider.id,
        name: 'Larkmoor ID',
        issuer: upstream.issuer,
        redirectUri: `${server.url}/sign-in/with/${larkProvider.id}/callback`,
        emailDomains: [domain],
        createsMembers: true,
        disabledAt: null,
      },
    ]);
    const { rows } = await owner.query(`select encode(client_secret, 'escape') as secret from sign_in_providers`);
    expect(JSON.stringify(rows)).not.toContain('a secret of the upstream');
    const [event] = await events(lark, 'sign_in_provider.created');
    expect(event).toMatchObject({ subject: { id: larkProvider.id }, detail: { issuer: upstream.issuer } });
    expect(JSON.stringify(event)).not.toContain('a secret of the upstream');
  });

  it.each([
    ['http://accounts.example.com', 'invalid-request'],
    ['https://accounts.example.com/?tenant=1', 'invalid-request'],
    ['http://127.0.0.1:1', 'sign-in-provider-unusable'],
    ['https://169.254.169.254', 'sign-in-provider-unusable'],
  ])('saves nothing for the issuer %s', async (issuer, code) => {
    const ask = await moor.as();
    const input = { name: 'x', issuer, clientId: 'x', emailDomains: [domain], createsMembers: false };
    expect((await ask(create, { input })).code).toBe(code);
    expect((await ask('{ signInProviders { id } }')).data.signInProviders).toEqual([]);
  });

  it('has the redirect URI that was shown before it was added, in its own organization only', async () => {
    const ask = await moor.as();
    const shown = '{ newSignInProvider { reservation redirectUri } }';
    const { reservation, redirectUri } = (await ask(shown)).data.newSignInProvider;
    expect((await ask(shown)).data.newSignInProvider.redirectUri).not.toBe(redirectUri);
    const input = {
      reservation,
      name: 'x',
      issuer: upstream.issuer,
      clientId: 'x',
      emailDomains: [domain],
      createsMembers: false,
    };
    const other = await anOrganization(server);
    const theirs = await (await other.as())(create, { input });
    expect(theirs.data.createSignInProvider.redirectUri).not.toBe(redirectUri);

    const { data } = await ask(create, { input });
    expect(data.createSignInProvider.redirectUri).toBe(redirectUri);
    const again = await ask(create, { input: { ...input, issuer: `${upstream.issuer}/` } });
    expect(again.code).toBe('name-taken');
    await ask('mutation ($input: SignInProviderInput!) { removeSignInProvider(input: $input) { id } }', {
      input: { providerId: data.createSignInProvider.id },
    });
  });

  it('saves the issuer as spelled by the provider', async () => {
    const ask = await moor.as();
    const input = {
      name: 'x',
      issuer: `${upstream.issuer}/`,
      clientId: 'x',
      emailDomains: [domain],
      createsMembers: false,
    };
    const { data } = await ask(create, { input });
    expect(data.createSignInProvider.issuer).toBe(upstream.issuer);
    const remove = 'mutation ($input: SignInProviderInput!) { removeSignInProvider(input: $input) { id } }';
    await ask(remove, { input: { providerId: data.createSignInProvider.id } });
    expect((await ask('{ signInProviders { id } }')).data.signInProviders).toEqual([]);
  });

  it.each([
    ['no domain', []],
    ['an address', ['a@larkmoor.example']],
    ['everything', ['*']],
  ])('rejects %s as email domains', async (_, emailDomains) => {
    const ask = await moor.as();
    const input = { name: 'x', issuer: upstream.issuer, clientId: 'x', emailDomains, createsMembers: false };
    expect((await ask(create, { input })).code).toBe('invalid-request');
  });

  it('allows one provider per issuer', async () => {
    const ask = await lark.as();
    const input = { name: 'x', issuer: upstream.issuer, clientId: 'x', emailDomains: [domain], createsMembers: false };
    expect((await ask(create, { input })).code).toBe('name-taken');
  });

  it('requires the secret again if another party would receive it', async () => {
    const ask = await lark.as();
    const change = (input: object) => ask(update, { input: { providerId: larkProvider.id, ...input } });
    expect((await change({ clientId: 'another' })).code).toBe('invalid-request');
    expect((await change({ name: 'Larkmoor ID' })).code).toBeUndefined();
  });

  it('rejects an edit that is based on an outdated version', async () => {
    const ask = await lark.as();
    const { data } = await ask('{ signInProviders { id version } }');
    const [{ id: providerId, version: basedOn }] = data.signInProviders;
    const change = (said: object) => ask(update, { input: { providerId, basedOn, ...said } });
    expect((await change({ createsMembers: false })).code).toBeUndefined();
    expect((await change({ createsMembers: true })).code).toBe('conflict');
    expect((await change({ createsMembers: true, basedOn: null })).code).toBeUndefined();
  });

  it('requires the permission and a session', async () => {
    const member = await lark.member();
    const asMember = await lark.as(member);
    expect((await asMember('{ signInProviders { id } }')).code).toBe('forbidden');
    const asOther = await moor.as();
    const mutation = 'mutation ($input: SignInProviderInput!) { removeSignInProvider(input: $input) { id } }';
    const input = { providerId: larkProvider.id };
    expect((await asOther(mutation, { input })).code).toBe('not-found');
    expect((await asOther(update, { input: { ...input, isEnabled: false } })).code).toBe('not-found');
    const admin = await lark.as();
    const { data } = await admin(
      'mutation ($input: CreateAdminTokenInput!) { createAdminToken(input: $input) { token } }',
      { input: { name: 'robot', expiresAt: new Date(Date.now() + 3_600_000) } },
    );
    const program = lark.withToken(data.createAdminToken.token as string);
    expect((await program('{ signInProviders { id } }')).data.signInProviders).toHaveLength(1);
    expect((await program(mutation, { input })).code).toBe('session-required');
    expect((await program(update, { input: { ...input, isEnabled: false } })).code).toBe('session-required');
  });

  it('shows the button and accepts sign-ins only while the provider is enabled', async () => {
    const page = async () => (await new Browser(server.url).fetch(`/sign-in?organization=${lark.tenant.slug}`)).text();
    const ask = await lark.as();
    const enable = (isEnabled: boolean) => ask(update, { input: { providerId: larkProvider.id, isEnabled } });
    await expect(page()).resolves.toContain('Sign in with Larkmoor ID');
    const browser = new Browser(server.url);
    upstream.account = somebody();
    const { back } = await awayAndBack(browser);
    await enable(false);
    await expect(page()).resolves.not.toContain('Larkmoor ID');
    expect((await browser.fetch(back)).status).toBe(404);
    expect((await new Browser(server.url).fetch(`/sign-in/with/${larkProvider.id}`)).status).toBe(404);
    await enable(true);
  });
});

describe('sign-in with a provider', () => {
  it('creates a member in the groups of the provider and returns to the requested page', async () => {
    const group = await get(GroupsService).create(lark.system, 'Newcomers');
    const ask = await lark.as();
    await ask(update, { input: { providerId: larkProvider.id, groupIds: [group.id] } });
    const account = somebody({ name: 'Nora New' });
    const browser = new Browser(server.url);
    const response = await signIn(account, { browser, next: '/sign-out' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-out']);
    await expect((await browser.fetch('/account')).text()).resolves.toContain('Nora New');
    expect(await memberOf(account.email!)).toMatchObject({
      name: 'Nora New',
      roles: ['member'],
      status: 'active',
      groups: [{ name: 'Newcomers' }],
    });
    const [linked] = await events(lark, 'identity.linked');
    expect(linked.detail).toMatchObject({ issuer: upstream.issuer, subject: account.sub });
    const [opened] = await events(lark, 'session.opened');
    expect(opened.detail).toMatchObject({ by: 'provider' });
    expect(
      (
        await ask('mutation ($input: GroupInput!) { removeGroup(input: $input) { id } }', {
          input: { groupId: group.id },
        })
      ).code,
    ).toBe('conflict');
    await ask(update, { input: { providerId: larkProvider.id, groupIds: [] } });
  });

  it('sends PKCE challenge, nonce and state that cannot be derived from each other', async () => {
    upstream.account = somebody();
    await awayAndBack(new Browser(server.url));
    const asked = Object.fromEntries(upstream.lastAuthorizationParameters);
    expect(asked).toMatchObject({
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: larkProvider.redirectUri,
    });
    expect(new Set([asked.state, asked.nonce, asked.code_challenge]).size).toBe(3);
    const { rows } = await owner.query(
      `select encode(hash, 'base64') || encode(browser, 'base64') || context as row from challenges`,
    );
    for (const secret of [asked.state, asked.nonce])
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret, 'base64url').toString('base64'));
  });

  it('recognizes a member by issuer and subject, even if the address has changed', async () => {
    const account = somebody();
    await signIn(account);
    const member = await memberOf(account.email!);
    const browser = new Browser(server.url);
    await signIn({ ...account, email: `renamed-${account.email}` }, { browser });
    await expect((await browser.fetch('/account')).text()).resolves.toContain(account.email!);
    await expect(memberOf(`renamed-${account.email}`)).resolves.toBeUndefined();
    const { data } = await (
      await lark.as()
    )('query ($id: ID) { signInMethods(memberId: $id) { hasPassword identities { issuer email } } }', {
      id: member!.id,
    });
    expect(data.signInMethods).toEqual({
      hasPassword: false,
      identities: [{ issuer: upstream.issuer, email: `renamed-${account.email}` }],
    });
  });

  it('never signs in to an account by its email address alone', async () => {
    const account = somebody();
    const member = await get(MembersService).create(lark.system, {
      email: account.email!,
      name: 'Olga Old',
      password: phrase,
    });
    const { status, text } = await told(await signIn(account));
    expect([status, text]).toEqual([403, expect.stringContaining('but this identity is not linked to it')]);
    expect(text).toContain('name="password"');
    const { rows } = await owner.query('select 1 from identities where member_id = $1', [member.id]);
    expect(rows).toEqual([]);
    const [event] = await events(lark, 'sign_in.refused');
    expect(event).toMatchObject({ subject: { id: larkProvider.id }, detail: { code: 'identity-not-linked' } });
  });

  it.each([
    ['an unverified address', { email_verified: false }, 'has verified'],
    ['a verification flag that is a string', { email_verified: 'true' }, 'has verified'],
    ['no address', { email: undefined }, 'has verified'],
    ['another domain', { email: 'eve@evil.example' }, 'The organization does not accept'],
    ['a subdomain', { email: `eve@sub.${domain}` }, 'The organization does not accept'],
    ['two domains', { email: `eve@${domain}@evil.example` }, 'has verified'],
    ['a look-alike domain', { email: `eve@not${domain}` }, 'The organization does not accept'],
  ])('rejects %s', async (_, more, reason) => {
    const account = somebody(more);
    const browser = new Browser(server.url);
    const { status, text } = await told(await signIn(account, { browser }));
    expect([status, text]).toEqual([403, expect.stringContaining(reason)]);
    expect((await browser.fetch('/account')).status).toBe(303);
  });

  it('reads the address from the userinfo endpoint if the token lacks it, and only for the same subject', async () => {
    const strict = await OidcProvider.start({ tellsEmailInToken: false, method: 'client_secret_post' });
    const provider = await aProvider(lark, strict);
    strict.account = somebody();
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser, provider, '/account', strict);
    expect((await browser.fetch(back)).headers.get('location')).toBe('/account');
    strict.fail({ userinfo: (claims) => ({ ...claims, sub: 'somebody-else' }) });
    const again = new Browser(server.url);
    const second = await awayAndBack(again, provider, '/account', strict);
    expect((await again.fetch(second.back)).status).toBe(502);
    await strict.close();
  });

  it('supports public clients', async () => {
    const other = await OidcProvider.start();
    const provider = await aProvider(lark, other, { clientSecret: null });
    other.account = somebody();
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser, provider, '/account', other);
    expect((await browser.fetch(back)).status).toBe(303);
    await other.close();
  });

  it('creates no member if the provider does not allow it', async () => {
    const ask = await lark.as();
    await ask(update, { input: { providerId: larkProvider.id, createsMembers: false } });
    const account = somebody();
    const { status, text } = await told(await signIn(account));
    expect([status, text]).toEqual([403, expect.stringContaining('does not create members')]);
    await ask(update, { input: { providerId: larkProvider.id, createsMembers: true } });
    expect((await signIn(account)).status).toBe(303);
  });

  it('creates one member for two concurrent sign-ins of the same person', async () => {
    const account = somebody();
    upstream.account = account;
    const ways = await Promise.all(
      [1, 2, 3].map(async () => {
        const browser = new Browser(server.url);
        return { browser, ...(await awayAndBack(browser)) };
      }),
    );
    const statuses = await Promise.all(ways.map(async ({ browser, back }) => (await browser.fetch(back)).status));
    expect(statuses).toEqual([303, 303, 303]);
    const { rows } = await owner.query('select 1 from identities where subject = $1', [account.sub]);
    expect(rows).toHaveLength(1);
  });

  it('rejects suspended and removed members', async () => {
    const account = somebody();
    await signIn(account);
    const { id } = (await memberOf(account.email!))!;
    await get(MemberStatusService).suspend(lark.system, id);
    expect((await signIn(account)).status).toBe(401);
    await get(MemberStatusService).remove(lark.system, id);
    expect((await signIn(account)).status).toBe(401);
    expect((await owner.query('select 1 from identities where member_id = $1', [id])).rows).toEqual([]);
  });

  it('creates separate members in two organizations for the same identity', async () => {
    const moorProvider = await aProvider(moor, upstream);
    const account = somebody();
    await signIn(account);
    upstream.account = account;
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser, moorProvider);
    await browser.fetch(back);
    const { rows } = await owner.query('select tenant_id from identities where subject = $1', [account.sub]);
    expect(new Set(rows.map((row: { tenant_id: string }) => row.tenant_id)).size).toBe(2);
  });

  it.each(['//evil.example', 'https://evil.example/', '/\\evil.example'])('never redirects to %s', async (next) => {
    expect((await signIn(somebody(), { next })).headers.get('location')).toBe('/console');
  });

  it('counts as a fresh confirmation if the provider returns the time of authentication', async () => {
    const account = somebody();
    const fresh = async () => {
      const { rows } = await owner.query<{ fresh_at: Date | null }>(
        'select fresh_at from sessions order by created_at desc limit 1',
      );
      return rows[0].fresh_at;
    };
    await signIn(account);
    await expect(fresh()).resolves.toBeNull();
    const provedAt = Math.floor(Date.now() / 1000) - 3600;
    upstream.fail({ claims: (claims) => ({ ...claims, auth_time: provedAt }) });
    await signIn(account);
    await expect(fresh()).resolves.toEqual(new Date(provedAt * 1000));
  });
});

describe('the callback', () => {
  it('is accepted once, from the same browser, for the same provider', async () => {
    upstream.account = somebody();
    const [browser, stranger] = [new Browser(server.url), new Browser(server.url)];
    const { back } = await awayAndBack(browser);
    const other = await awayAndBack(stranger);
    // a link on another site would sign the victim in as the attacker (login CSRF)
    expect((await stranger.fetch(back)).status).toBe(400);
    expect((await new Browser(server.url).fetch(back)).status).toBe(400);
    expect((await browser.fetch(back)).status).toBe(303);
    expect((await browser.fetch(back)).status).toBe(400);
    expect((await stranger.fetch(other.back)).status).toBe(303);
  });

  it.each<[string, (query: URLSearchParams) => void, number]>([
    ['without a state', (query) => query.delete('state'), 400],
    ['with another state', (query) => query.set('state', 'A'.repeat(43)), 400],
    ['with two states', (query) => query.append('state', query.get('state')!), 502],
    ['with another code', (query) => query.set('code', 'A'.repeat(43)), 502],
    ['with two codes', (query) => query.append('code', 'x'), 502],
    ['without a code', (query) => query.delete('code'), 502],
    ['from another issuer (mix-up)', (query) => query.set('iss', 'https://evil.example'), 502],
    ['without an issuer', (query) => query.delete('iss'), 502],
    ['with access_denied', (query) => (query.delete('code'), query.set('error', 'access_denied')), 403],
    ['with an error', (query) => (query.delete('code'), query.set('error', '<script>"')), 403],
  ])('%s opens no session, and the page offers other sign-in methods', async (_, change, status) => {
    upstream.account = somebody();
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser);
    const url = new URL(back, server.url);
    change(url.searchParams);
    const response = await browser.fetch(url.pathname + url.search);
    const { text } = await told(response);
    expect([response.status, text]).toEqual([status, expect.stringContaining('name="password"')]);
    expect(text).not.toContain('<script');
    expect((await browser.fetch('/account')).status).toBe(303);
  });

  it('is accepted by any process, once', async () => {
    const other = await serverProcess(server.databaseUrl, { BASE_URL: server.url });
    upstream.account = somebody();
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser);
    const statuses = await Promise.all(
      [server.url, other.url].map(async (url) => (await browser.fetch(url + back)).status),
    );
    expect(statuses.sort()).toEqual([303, 400]);
    await other.kill();
  });

  it('is rejected if it belongs to another provider', async () => {
    const other = await OidcProvider.start();
    const otherProvider = await aProvider(lark, other, { name: 'Other' });
    upstream.account = somebody();
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser);
    expect((await browser.fetch(back.replace(larkProvider.id, otherProvider.id))).status).toBe(400);
    await other.close();
  });

  it.each<[string, Parameters<OidcProvider['fail']>[0]]>([
    ['another nonce', { claims: (claims) => ({ ...claims, nonce: 'other' }) }],
    ['no nonce', { claims: ({ nonce: _, ...claims }) => claims }],
    ['another issuer', { claims: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['another audience', { claims: (claims) => ({ ...claims, aud: 'somebody-else' }) }],
    [
      'several audiences, and not us authorized',
      { claims: (claims) => ({ ...claims, aud: [claims.aud, 'x'], azp: 'x' }) },
    ],
    ['an end an hour ago', { claims: (claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 3600 }) }],
    ['no subject', { claims: ({ sub: _, ...claims }) => claims }],
    ['an empty subject', { claims: (claims) => ({ ...claims, sub: '' }) }],
    ['another key', { otherKey: true }],
    ['no signature', { isUnsigned: true }],
    ['no response from the token endpoint', { respond: (path, response) => path === '/token' && hangUp(response) }],
    [
      'an error from the token endpoint',
      { respond: (path, response) => path === '/token' && say(response, 500, 'oh') },
    ],
    ['no keys', { respond: (path, response) => path === '/jwks' && say(response, 200, '{"keys":[]}') }],
    [
      'oversized keys',
      { respond: (path, response) => path === '/jwks' && say(response, 200, `{"keys":["${'x'.repeat(300_000)}"]}`) },
    ],
  ])('with a token that has %s opens no session', async (_, fault) => {
    const account = somebody();
    upstream.account = account;
    const browser = new Browser(server.url);
    const { back } = await awayAndBack(browser);
    upstream.fail(fault);
    const { status, text } = await told(await browser.fetch(back));
    expect([status, text]).toEqual([502, expect.stringContaining('name="password"')]);
    await expect(memberOf(account.email!)).resolves.toBeUndefined();
    expect((await browser.fetch('/account')).status).toBe(303);
    const [event] = await events(lark, 'sign_in.refused');
    expect(event.detail).toMatchObject({ code: 'sign-in-provider-unusable' });
  });
});

describe('a provider that fails before the redirect', () => {
  it.each<[string, (response: ServerResponse) => boolean]>([
    ['is down', (response) => hangUp(response)],
    ['responds without JSON', (response) => say(response, 200, '<html>', 'text/html')],
    ['responds with 404', (response) => say(response, 404, '{}')],
    ['responds with an oversized body', (response) => say(response, 200, `{"issuer":"${'x'.repeat(300_000)}"}`)],
    ['names another issuer', (response) => say(response, 200, '{"issuer":"https://evil.example"}')],
    ['redirects', (response) => (response.setHeader('location', 'http://169.254.169.254/'), say(response, 302, ''))],
  ])('%s: shows the problem and the other sign-in methods', async (_, answer) => {
    upstream.fail({ respond: (_path, response) => answer(response) });
    const { status, text } = await told(await new Browser(server.url).fetch(`/sign-in/with/${larkProvider.id}`));
    expect([status, text]).toEqual([502, expect.stringContaining('name="password"')]);
  });

  it('never responds: shows the page after ten seconds at the latest', async () => {
    upstream.fail({ respond: () => true });
    expect((await new Browser(server.url).fetch(`/sign-in/with/${larkProvider.id}`)).status).toBe(502);
  });
});

it('refers to an administrator if the client secret cannot be decrypted', async () => {
  const { rows } = await owner.query<{ client_secret: Buffer }>(
    'select client_secret from sign_in_providers where id = $1',
    [larkProvider.id],
  );
  await owner.query(`update sign_in_providers set client_secret = set_byte(client_secret, 40, 1) where id = $1`, [
    larkProvider.id,
  ]);
  const { status, text } = await told(await new Browser(server.url).fetch(`/sign-in/with/${larkProvider.id}`));
  expect([status, text]).toEqual([502, expect.stringContaining('An administrator must enter it again')]);
  await owner.query('update sign_in_providers set client_secret = $2 where id = $1', [
    larkProvider.id,
    rows[0].client_secret,
  ]);
});

describe('linking an identity', () => {
  const linkFrom = async (browser: Browser, provider = larkProvider) => {
    const page = await browser.submit('/account/ways-in', { provider: provider.id }, { form: 1 });
    const leads = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(await page.text())?.[1].replaceAll('&amp;', '&');
    return leads ? pathOf(await upstream.followToCallback(leads)) : page;
  };

  it('requires a session with a recent confirmation of identity; then the identity can sign in', async () => {
    const member = await lark.member({ name: 'Lena Linker', password: phrase });
    const account = somebody();
    upstream.account = account;
    const browser = await lark.browser(member);
    const back = (await linkFrom(browser)) as string;
    expect((await browser.fetch(back)).headers.get('location')).toBe('/account/ways-in');
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.toContain(account.email!);
    const later = new Browser(server.url);
    await signIn(account, { browser: later });
    await expect((await later.fetch('/account')).text()).resolves.toContain('Lena Linker');
  });

  it('is rejected without a recent confirmation, from another session, and for an identity of another member', async () => {
    const [member, other] = [await lark.member({ password: phrase }), await lark.member({ password: phrase })];
    const stale = await lark.browser(member, { isFresh: false });
    await expect((await stale.fetch('/account/ways-in')).text()).resolves.toContain('/confirm?next=/account/ways-in');
    const csrf = /name="csrf" value="([^"]+)"/.exec(await (await stale.fetch('/sign-out')).text())![1];
    const sent = await stale.post('/account/ways-in/identities/link', { csrf, provider: larkProvider.id });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/confirm?next=/account/ways-in']);

    const account = somebody();
    upstream.account = account;
    const browser = await lark.browser(member);
    const back = (await linkFrom(browser)) as string;
    await browser.submit('/sign-out');
    expect((await browser.fetch(back)).status).toBe(401);

    await signIn(account); // creates another member
    const mine = await lark.browser(other);
    expect((await mine.fetch((await linkFrom(mine)) as string)).status).toBe(409);
  });

  it('is rejected from a page of another site', async () => {
    const browser = await lark.browser(await lark.member({ password: phrase }));
    const origin = 'https://evil.example';
    const sent = await browser.submit('/account/ways-in', { provider: larkProvider.id }, { form: 1, origin });
    expect(sent.status).toBe(403);
  });

  it('can be undone, unless it is the last sign-in method', async () => {
    const account = somebody();
    const browser = new Browser(server.url);
    await signIn(account, { browser });
    const member = (await memberOf(account.email!))!;
    const ask = await lark.as(member);
    const { data } = await ask('{ signInMethods { identities { id } } }');
    const unlink = 'mutation ($input: IdentityInput!) { unlinkIdentity(input: $input) { id } }';
    const input = { identityId: data.signInMethods.identities[0].id };
    expect((await ask(unlink, { input })).code).toBe('last-way-in');
    expect((await (await lark.as())(unlink, { input })).code).toBe('not-found');
    await owner.query('update members set password_hash = $2 where id = $1', [member.id, 'x']);
    expect((await (await lark.as(member, { isFresh: false }))(unlink, { input })).code).toBe(
      'reauthentication-required',
    );
    expect((await ask(unlink, { input })).code).toBeUndefined();
    expect((await events(lark, 'identity.unlinked'))[0].detail).toMatchObject({ subject: account.sub });
    const { status } = await told(await signIn(account));
    expect(status).toBe(403);
  });
});

describe('confirmation of identity with a provider', () => {
  const confirm = async (browser: Browser) => {
    const page = await (await browser.submit('/confirm?next=/sign-out', {}, { form: 0 })).text();
    const leads = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)![1].replaceAll('&amp;', '&');
    return pathOf(await upstream.followToCallback(leads));
  };
  const freshAt = async (member: Member) =>
    (await owner.query('select max(fresh_at) as at from sessions where member_id = $1', [member.id])).rows[0]
      .at as Date | null;

  it('makes the provider authenticate the person again', async () => {
    const account = somebody();
    const browser = new Browser(server.url);
    await signIn(account, { browser });
    const startedAt = Math.floor(Date.now() / 1000) * 1000; // `auth_time` has whole seconds
    const back = await confirm(browser);
    expect(Object.fromEntries(upstream.lastAuthorizationParameters)).toMatchObject({ prompt: 'login', max_age: '0' });
    const answer = await browser.fetch(back);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-out']);
    expect((await freshAt((await memberOf(account.email!))!))!.getTime()).toBeGreaterThanOrEqual(startedAt);
  });

  it.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
    ['returns no time of authentication', ({ auth_time: _, ...claims }) => claims],
    [
      'reused a session of five minutes ago',
      (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) - 300 }),
    ],
    ['reused a session of an hour ago', (claims) => ({ ...claims, auth_time: Math.floor(Date.now() / 1000) - 3600 })],
  ])('is rejected if the provider %s', async (_, claims) => {
    const account = somebody();
    const browser = new Browser(server.url);
    await signIn(account, { browser });
    upstream.fail({ claims });
    expect((await browser.fetch(await confirm(browser))).status).toBeGreaterThanOrEqual(400);
    await expect(freshAt((await memberOf(account.email!))!)).resolves.toBeNull();
  });

  it('is rejected if another person authenticated', async () => {
    const browser = new Browser(server.url);
    const account = somebody();
    await signIn(account, { browser });
    upstream.account = somebody();
    expect((await browser.fetch(await confirm(browser))).status).toBe(403);
    await expect(freshAt((await memberOf(account.email!))!)).resolves.toBeNull();
  });
});

it('offers no passkeys on an IP address, where browsers do not support them', async () => {
  const page = await (await new Browser(server.url).fetch(`/sign-in?organization=${lark.tenant.slug}`)).text();
  expect(page).not.toContain('passkey');
  const ways = await (await lark.browser()).fetch('/account/ways-in');
  await expect(ways.text()).resolves.toContain('Passkeys do not work at the address of this server');
  expect((await new Browser(server.url).fetch('/sign-in/passkey')).status).toBe(409);
});

describe('throttling of provider sign-ins', () => {
  it('blocks after a hundred started sign-ins from one address', async () => {
    const browser = new Browser(server.url);
    const statuses: number[] = [];
    for (let i = 0; i < 101; i++)
      statuses.push(
        (await browser.fetch(`/sign-in/with/${larkProvider.id}/callback?state=${'A'.repeat(43)}&code=x`)).status,
      );
    expect([statuses.filter((status) => status === 400).length, statuses.at(-1)]).toEqual([100, 429]);
    // password sign-ins from that address still work
    const typed = { email: lark.admin.email, password: 'not the right one' };
    expect((await browser.submit(`/sign-in?organization=${lark.tenant.slug}`, typed)).status).toBe(401);
  });

  it.each(['image', 'iframe', 'empty'])(
    'does not count requests from a page that embeds ours as %s',
    async (destination) => {
      const headers = { 'sec-fetch-dest': destination };
      for (const path of [
        `/sign-in/with/${larkProvider.id}`,
        `/sign-in/with/${larkProvider.id}/callback`,
        '/sign-in/passkey',
      ])
        expect((await new Browser(server.url).fetch(path, { headers })).status).toBe(403);
    },
  );

  it('blocks after five attempts for one identity from one address', async () => {
    const account = somebody();
    await signIn(account);
    await get(MemberStatusService).suspend(lark.system, (await memberOf(account.email!))!.id);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await signIn(account)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('computes the same number of hashes for existing and unknown accounts', async () => {
    const hashes = async (email: string, organization = lark.tenant.slug) => {
      let count = 0;
      const hook = createHook({ init: (_, type) => void (count += type === 'ARGON2REQUEST' ? 1 : 0) }).enable();
      const browser = new Browser(server.url);
      await browser.submit(`/sign-in?organization=${organization}`, {
        email,
        organization,
        password: 'not the right one',
      });
      hook.disable();
      return count;
    };
    const withoutPassword = await lark.member();
    const suspended = await lark.member({ password: phrase });
    await get(MemberStatusService).suspend(lark.system, suspended.id);
    const emails = [lark.admin.email, 'nobody@lark.example', withoutPassword.email, suspended.email];
    for (const email of emails) expect([email, await hashes(email)]).toEqual([email, 1]);
    await expect(hashes('nobody@lark.example', 'no-such-organization')).resolves.toBe(1);
  });
});

function say(response: ServerResponse, status: number, body: string, type = 'application/json') {
  response.writeHead(status, { 'content-type': type }).end(body);
  return true;
}

function hangUp(response: ServerResponse) {
  response.destroy();
  return true;
}
