import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { Group } from '../src/access/group.entity.js';
import { GroupsService } from '../src/access/groups.service.js';
import { InvitationsService } from '../src/access/invitations.service.js';
import type { KeyScope } from '../src/access/tenant-key.entity.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import { PasswordsService } from '../src/access/passwords.service.js';
import { CredentialRevalidationService } from '../src/access/credential-revalidation.service.js';
import { RefusedCredentialsService } from '../src/access/refused-credentials.service.js';
import { SessionsService } from '../src/access/sessions.service.js';
import { SetUpService } from '../src/access/set-up.service.js';
import { SignInService } from '../src/access/sign-in.service.js';
import { TenantKeysService } from '../src/access/tenant-keys.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { permissionsOfRoles } from '../src/principal/permissions.js';
import type { Principal } from '../src/principal/principal.js';
import { Browser, formsOf } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

const phrase = 'four plain words here';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let owner: pg.Client;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
const newBrowser = () => new Browser(server.url);
const pathOf = (url: string) => url.slice(server.url.length);
const kinds = async (organization: Organization) =>
  (await get(AuditLogService).list(organization.system, { first: 200 })).nodes.map((event) => event.kind);

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

describe('set-up', () => {
  it('states on the sign-in page that the server is not set up', async () => {
    const page = await newBrowser().fetch('/sign-in');
    expect(page.status).toBe(404);
    await expect(page.text()).resolves.toContain('Not set up yet');
  });

  it('creates the first organization with a single-use link', async () => {
    const [link, other] = [await get(SetUpService).issueFirstLink(), await get(SetUpService).issueFirstLink()];
    const browser = newBrowser();
    const typed = { organization: 'First & Co', name: 'Ada', email: 'Ada@First.example', password: phrase };

    const weak = await browser.submit(pathOf(link!), { ...typed, password: 'Password1234' });
    expect(weak.status).toBe(400);
    await expect(weak.text()).resolves.toMatch(/easy to guess[\s\S]*value="First &amp; Co"/);

    const done = await browser.submit(pathOf(link!), typed);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console/welcome']);
    await expect((await browser.fetch('/account')).text()).resolves.toMatch(
      /First &amp; Co[\s\S]*ada@first.example[\s\S]*Administrator, Member/,
    );

    for (const used of [link!, other!]) {
      const again = await newBrowser().fetch(pathOf(used));
      expect(again.status).toBe(409);
    }
    await expect(get(SetUpService).issueFirstLink()).resolves.toBeNull();
  });

  it('shows the sign-in page of the only organization without asking for its slug', async () => {
    await expect((await newBrowser().fetch('/sign-in')).text()).resolves.toContain('Sign in to First &amp; Co');
  });
});

describe('with organizations', () => {
  beforeAll(async () => {
    lark = await anOrganization(server, { name: 'Larkmoor', password: phrase });
    moor = await anOrganization(server, { name: 'Moorland', password: phrase });
  });

  const signIn = (browser: Browser, typed: Record<string, string>, organization = lark.tenant.slug, next = '') =>
    browser.submit(`/sign-in?organization=${organization}${next && `&next=${encodeURIComponent(next)}`}`, typed);

  describe('sign-in', () => {
    it('shows the organization, or asks for its slug', async () => {
      await expect((await newBrowser().fetch(`/sign-in?organization=${lark.tenant.slug}`)).text()).resolves.toContain(
        'Sign in to Larkmoor',
      );
      await expect((await newBrowser().fetch('/sign-in')).text()).resolves.toMatch(/name="organization"\s+type="text"/);
      await expect((await newBrowser().fetch('/sign-in?organization=nobody')).text()).resolves.toContain(
        'value="nobody"',
      );
    });

    it('allows no scripts, frames or caching', async () => {
      const { headers } = await newBrowser().fetch(`/sign-in?organization=${lark.tenant.slug}`);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get('cache-control')).toBe('no-store');
      const styles = await fetch(`${server.url}/assets/page.css`);
      expect([styles.status, styles.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    });

    it('opens a session with email and password and returns to the requested page', async () => {
      const browser = newBrowser();
      const response = await signIn(
        browser,
        { email: lark.admin.email.toUpperCase(), password: phrase },
        lark.tenant.slug,
        '/sign-out',
      );
      expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-out']);
      const cookie = response.headers.getSetCookie().find((value) => value.startsWith('countersign='))!;
      expect(cookie).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
      const { rows } = await owner.query('select encode(token_hash, $1) as hash from sessions', ['escape']);
      expect(JSON.stringify(rows)).not.toContain(browser.cookie('countersign'));
      await expect(kinds(lark)).resolves.toContain('session.opened');
    });

    it('never redirects to another site', async () => {
      const response = await signIn(
        newBrowser(),
        { email: lark.admin.email, password: phrase },
        lark.tenant.slug,
        '//evil.example/',
      );
      expect(response.headers.get('location')).toBe('/console');
    });

    it('returns the same response for every wrong credential', async () => {
      const suspended = await lark.member({ name: 'Sam Suspended', password: phrase });
      await get(MemberStatusService).suspend(lark.system, suspended.id);
      const bare = await lark.member({ name: 'Bea Bare' });
      const answers = await Promise.all(
        [
          { email: lark.admin.email, password: 'not the password' },
          { email: 'nobody@lark.example', password: phrase },
          { email: suspended.email, password: phrase },
          { email: bare.email, password: phrase },
          { email: moor.admin.email, password: phrase },
        ].map(async (typed) => {
          const response = await signIn(newBrowser(), typed);
          return [response.status, /role="alert">\s*([^<]*?)\s*</.exec(await response.text())?.[1]];
        }),
      );
      expect(new Set(answers.map(String))).toEqual(
        new Set(['401,The organization, email address or password is wrong.']),
      );
    });

    it('blocks after five attempts, right or wrong, and returns when to retry', async () => {
      const victim = await lark.member({ name: 'Vic Victim', password: phrase });
      const guess = (password: string, address = '192.0.2.1') =>
        get(SignInService).signInWithPassword({
          organization: lark.tenant.slug,
          email: victim.email,
          password,
          address,
        });
      const wrong = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => guess(`guess ${index}`)));
      const codes = wrong.map((outcome) =>
        outcome.status === 'rejected' ? (outcome.reason as { code: string }).code : 'in',
      );
      expect(codes.filter((code) => code === 'sign-in-refused')).toHaveLength(5);
      expect(codes.filter((code) => code === 'rate-limited')).toHaveLength(3);
      await expect(guess(phrase)).rejects.toMatchObject({
        code: 'rate-limited',
        headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
      });
      await expect(guess(phrase, '192.0.2.2')).resolves.toMatchObject({ session: { memberId: victim.id } });
      const recorded = (await get(AuditLogService).list(lark.system, { first: 200 })).nodes.filter(
        ({ kind, subject }) => kind.startsWith('sign_in.') && (subject as { id?: string } | null)?.id === victim.id,
      );
      expect(recorded.map(({ kind }) => kind).sort()).toEqual(['sign_in.blocked', 'sign_in.refused']);
    });

    it('counts an IPv6 network as one address', async () => {
      const victim = await lark.member({ name: 'Vera Victim', password: phrase });
      const guess = (address: string) =>
        get(SignInService)
          .signInWithPassword({ organization: lark.tenant.slug, email: victim.email, password: 'a guess', address })
          .catch(({ code }: { code: string }) => code);
      const codes: unknown[] = [];
      for (let host = 1; host <= 6; host++) codes.push(await guess(`2001:db8:1:2::${host}`));
      expect(codes).toEqual([...Array<string>(5).fill('sign-in-refused'), 'rate-limited']);
      expect(await guess('2001:db8:1:3::1')).toBe('sign-in-refused');
    });

    it('resets the count after a successful attempt', async () => {
      const regular = await lark.member({ name: 'Reg Regular', password: phrase });
      const attempt = (password: string) =>
        get(SignInService).signInWithPassword({
          organization: lark.tenant.slug,
          email: regular.email,
          password,
          address: '192.0.2.9',
        });
      for (let round = 0; round < 3; round++) {
        for (let slip = 0; slip < 3; slip++)
          await expect(attempt('slip')).rejects.toMatchObject({ code: 'sign-in-refused' });
        await expect(attempt(phrase)).resolves.toBeDefined();
      }
    });

    it('rejects forms from other sites and other browsers, and requests without a form', async () => {
      const typed = { email: lark.admin.email, password: phrase };
      const path = `/sign-in?organization=${lark.tenant.slug}`;
      const foreign = await newBrowser().submit(path, typed, { origin: 'https://evil.example' });
      expect(foreign.status).toBe(403);
      await expect(foreign.text()).resolves.toContain('other-origin');
      await expect(
        newBrowser()
          .post('/sign-in', { ...typed, organization: lark.tenant.slug })
          .then((r) => r.status),
      ).resolves.toBe(403);
      await expect(
        newBrowser()
          .submit(path, { ...typed, csrf: 'x' })
          .then((r) => r.status),
      ).resolves.toBe(403);
    });

    it('rejects malformed bodies and keeps the submitted values', async () => {
      const response = await signIn(newBrowser(), { email: 'nul\0@lark.example', password: phrase });
      expect(response.status).toBe(400);
      await expect(response.text()).resolves.toContain('The email address has a character that cannot be shown');
      const browser = newBrowser();
      const json = await browser.fetch('/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"email":["x"]}',
      });
      expect(json.status).toBe(403);
    });

    it('signs out of the current session only', async () => {
      const [here, there] = [await lark.browser(), await lark.browser()];
      const token = here.cookie('countersign')!;
      const response = await here.submit('/sign-out');
      expect(response.headers.get('location')).toBe(`/sign-in?organization=${lark.tenant.slug}`);
      expect(here.cookie('countersign')).toBeUndefined();
      const replayed = new Browser(server.url, { name: 'countersign', token });
      await expect(replayed.fetch('/account').then((r) => [r.status, r.headers.get('location')])).resolves.toEqual([
        303,
        '/sign-in?next=%2Faccount',
      ]);
      await expect(there.fetch('/account').then((r) => r.status)).resolves.toBe(200);
    });

    it('rejects sign-out forms from another site or another session', async () => {
      const [mine, other] = [await lark.browser(), await lark.browser()];
      const foreign = await mine.submit('/sign-out', {}, { origin: 'https://evil.example' });
      const { hidden } = formsOf(await (await other.fetch('/sign-out')).text())[0];
      const borrowed = await mine.post('/sign-out', hidden);
      expect([foreign.status, borrowed.status]).toEqual([403, 403]);
      await expect(mine.fetch('/account').then((r) => r.status)).resolves.toBe(200);
    });

    it('accepts a single-use link, which stays valid when opened', async () => {
      const second = await lark.member({ name: 'Sue Second' });
      const { url } = await get(SignInService).issueLink(lark.system, second.id);
      const path = `${pathOf(url)}&next=/sign-out`;
      for (let look = 0; look < 2; look++)
        await expect((await newBrowser().fetch(path)).text()).resolves.toContain(second.email);
      const browser = newBrowser();
      await expect(browser.submit(path).then((r) => r.headers.get('location'))).resolves.toBe('/sign-out');
      await expect((await browser.fetch('/account')).text()).resolves.toContain('Sue Second');
      await expect(
        newBrowser()
          .fetch(path)
          .then((r) => r.status),
      ).resolves.toBe(410);
    });

    it('does not let administrators create sign-in links', async () => {
      const principal = await principalOf(lark.admin);
      await expect(get(SignInService).issueLink(principal, lark.admin.id)).rejects.toMatchObject({
        code: 'session-required',
      });
    });
  });

  describe('sessions', () => {
    const age = (column: string, interval: string, id: string) =>
      owner.query(`update sessions set ${column} = now() - $1::interval where id = $2`, [interval, id]);
    const works = async (organization: Organization, token: string) =>
      (await new Browser(server.url, { name: 'countersign', token }).fetch('/account')).status === 200;

    it('end when idle, and after a week at the latest', async () => {
      const open = () => get(SessionsService).open(lark.system, { memberId: lark.admin.id, isFresh: true });
      const [idle, old, used] = [await open(), await open(), await open()];
      await age('used_at', '12 hours 1 second', idle.session.id);
      await owner.query('update sessions set expires_at = now() where id = $1', [old.session.id]);
      await age('used_at', '11 hours', used.session.id);
      await expect(Promise.all([idle, old, used].map(({ token }) => works(lark, token)))).resolves.toEqual([
        false,
        false,
        true,
      ]);
      const { rows } = await owner.query(
        "select used_at > now() - interval '1 minute' as renewed from sessions where id = $1",
        [used.session.id],
      );
      expect(rows).toEqual([{ renewed: true }]);
    });

    it('end immediately when their member is suspended or removed', async () => {
      const member = await lark.member({ password: phrase });
      const browser = await lark.browser(member);
      const ask = await lark.as();
      await expect(browser.fetch('/account').then((r) => r.status)).resolves.toBe(200);
      await ask('mutation ($input: MemberInput!) { suspendMember(input: $input) { status } }', {
        input: { memberId: member.id },
      });
      await expect(browser.fetch('/account').then((r) => r.status)).resolves.toBe(303);
      await ask('mutation ($input: MemberInput!) { reactivateMember(input: $input) { status } }', {
        input: { memberId: member.id },
      });
      await expect(browser.fetch('/account').then((r) => r.status)).resolves.toBe(303);
    });

    it('are fresh after the password is confirmed, which sensitive actions require', async () => {
      const member = await lark.member({ name: 'Fay Fresh', password: phrase });
      const ask = await lark.as(member, { isFresh: false });
      const confirm = (password: string) =>
        ask('mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { freshAt } }', {
          input: { password },
        });
      await expect(ask('{ me { freshAt } }')).resolves.toMatchObject({ data: { me: { freshAt: null } } });
      await expect(confirm('wrong')).resolves.toMatchObject({
        code: 'wrong-password',
        errors: [{ extensions: { errors: [{ pointer: '/password' }] } }],
      });
      await expect(confirm(phrase)).resolves.toMatchObject({
        data: { confirmPassword: { freshAt: expect.any(String) } },
      });
      await expect(ask('{ me { freshAt } }')).resolves.toMatchObject({ data: { me: { freshAt: expect.any(String) } } });
    });

    it('let members list and end only their own', async () => {
      const ask = await lark.as();
      const theirs = await get(SessionsService).open(lark.system, {
        memberId: (await lark.member()).id,
        isFresh: false,
      });
      const end = (sessionId: string) =>
        ask('mutation ($input: EndSessionInput!) { endSession(input: $input) }', { input: { sessionId } });
      await expect(end(theirs.session.id)).resolves.toMatchObject({ code: 'not-found' });
      const { data } = await ask('{ me { sessionId sessions { id } } }');
      expect(data.me.sessions.map(({ id }: { id: string }) => id)).not.toContain(theirs.session.id);
      await expect(end(data.me.sessionId)).resolves.toMatchObject({ data: { endSession: data.me.sessionId } });
      await expect(ask('{ me { sessionId } }')).resolves.toMatchObject({ code: 'unauthenticated' });
    });

    it('end in other browsers when the password changes', async () => {
      const member = await lark.member({ name: 'Cha Changer', password: phrase });
      const [here, elsewhere] = [await lark.as(member), await lark.browser(member)];
      const change = (current: string, password: string) =>
        here('mutation ($input: UpdatePasswordInput!) { updatePassword(input: $input) { freshAt } }', {
          input: { current, password },
        });
      await expect(change('wrong', 'another plain phrase')).resolves.toMatchObject({
        code: 'wrong-password',
        errors: [{ extensions: { errors: [{ pointer: '/input/current' }] } }],
      });
      await expect(change(phrase, 'short')).resolves.toMatchObject({
        code: 'invalid-request',
        errors: [{ extensions: { errors: [{ pointer: '/password' }] } }],
      });
      await expect(change(phrase, 'another plain phrase')).resolves.toMatchObject({ data: { updatePassword: {} } });
      await expect(elsewhere.fetch('/account').then((r) => r.status)).resolves.toBe(303);
      await expect(here('{ me { sessionId } }')).resolves.toMatchObject({ data: { me: {} } });
      await expect(
        signIn(newBrowser(), { email: member.email, password: 'another plain phrase' }).then((r) => r.status),
      ).resolves.toBe(303);
    });

    it('accept no password after five wrong ones, to confirm or to change it', async () => {
      const member = await lark.member({ name: 'Gus Guesser', password: phrase });
      const ask = await lark.as(member, { isFresh: false });
      const confirm = (password: string) =>
        ask('mutation ($input: ConfirmPasswordInput!) { confirmPassword(input: $input) { freshAt } }', {
          input: { password },
        });
      const change = (current: string) =>
        ask('mutation ($input: UpdatePasswordInput!) { updatePassword(input: $input) { freshAt } }', {
          input: { current, password: 'another plain phrase' },
        });
      const codes: unknown[] = [];
      for (const attempt of [confirm, change, confirm, change, confirm]) codes.push((await attempt('wrong')).code);
      expect(codes).toEqual(Array<string>(5).fill('wrong-password'));
      await expect(confirm(phrase)).resolves.toMatchObject({ code: 'rate-limited' });
      await expect(change(phrase)).resolves.toMatchObject({ code: 'rate-limited' });
    });

    it('reject GraphQL requests from pages of other sites', async () => {
      const browser = await lark.browser();
      const send = (origin: Record<string, string>) =>
        browser.fetch('/graphql', {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json', ...origin },
          body: '{"query":"{ me { sessionId } }"}',
        });
      await expect(send({ origin: 'https://evil.example' }).then((r) => r.status)).resolves.toBe(403);
      await expect(send({}).then((r) => r.status)).resolves.toBe(403);
      await expect(send({ origin: server.url }).then((r) => r.status)).resolves.toBe(200);
    });
  });

  describe('invitations', () => {
    const invite =
      'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { url link { id kind email } } }';

    it('create a member with roles and groups once, and stay valid when the link is opened', async () => {
      const ask = await lark.as();
      const group = await get(GroupsService).create(lark.system, 'Support');
      const { data } = await ask(invite, {
        input: { email: 'New.Person@lark.example', name: 'Nell', roles: ['auditor'], groupIds: [group.id] },
      });
      const path = pathOf(data.inviteMember.url);
      const browser = newBrowser();
      for (let look = 0; look < 2; look++)
        await expect((await browser.fetch(path)).text()).resolves.toMatch(
          /Join Larkmoor[\s\S]*new.person@lark.example[\s\S]*value="Nell"/,
        );
      const weak = await browser.submit(path, { name: 'Nell', password: 'new.person1' });
      expect(weak.status).toBe(400);
      const joined = await browser.submit(path, { name: 'Nell Newman', password: phrase });
      expect([joined.status, joined.headers.get('location')]).toEqual([303, '/console']);
      await expect((await browser.fetch('/account')).text()).resolves.toMatch(
        /Nell Newman[\s\S]*Auditor, Member[\s\S]*Support/,
      );
      await expect(
        newBrowser()
          .fetch(path)
          .then((r) => r.status),
      ).resolves.toBe(410);
      await expect(kinds(lark)).resolves.toEqual(expect.arrayContaining(['member.invited', 'member.joined']));
      await expect(ask(invite, { input: { email: 'new.person@lark.example' } })).resolves.toMatchObject({
        code: 'member-exists',
      });
    });

    it('are accepted by only one of two concurrent requests', async () => {
      const { url } = await get(InvitationsService).invite(lark.system, { email: 'hurry@lark.example' });
      const token = new URL(url).searchParams.get('link');
      const outcomes = await Promise.allSettled(
        [1, 2].map((n) => get(InvitationsService).accept(token, { name: `Harry ${n}`, password: phrase })),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({
        reason: { code: 'link-unusable' },
      });
    });

    it('end when superseded, revoked or expired', async () => {
      const ask = await lark.as();
      const make = async () => (await ask(invite, { input: { email: 'late@lark.example' } })).data.inviteMember;
      const status = (url: string) =>
        newBrowser()
          .fetch(pathOf(url))
          .then((r) => r.status);
      const [first, second] = [await make(), await make()];
      await expect(Promise.all([first, second].map(({ url }) => status(url)))).resolves.toEqual([410, 200]);
      await ask('mutation ($input: RevokeLinkInput!) { revokeLink(input: $input) { revokedAt } }', {
        input: { linkId: second.link.id },
      });
      await expect(status(second.url)).resolves.toBe(410);
      const third = await make();
      await owner.query('update links set expires_at = now() where id = $1', [third.link.id]);
      await expect(status(third.url)).resolves.toBe(410);
      await expect(status(third.url.replace('/invitation', '/reset'))).resolves.toBe(410);
      await expect(status(`${server.url}/invitation?link=${newToken('lnk')}`)).resolves.toBe(410);
      await expect(status(`${server.url}/invitation`)).resolves.toBe(410);
    });

    it('are listed while they are usable', async () => {
      const org = await anOrganization(server);
      const ask = await org.as();
      const make = async (email: string) =>
        (await ask(invite, { input: { email, name: 'Nell', roles: ['auditor'] } })).data.inviteMember.link.id;
      const [open, expired, withdrawn] = [
        await make('a@o.example'),
        await make('b@o.example'),
        await make('c@o.example'),
      ];
      await owner.query('update links set expires_at = now() where id = $1', [expired]);
      await ask('mutation ($input: RevokeLinkInput!) { revokeLink(input: $input) { id } }', {
        input: { linkId: withdrawn },
      });
      const list = async (filter: string) =>
        (await ask(`{ links${filter} { totalCount nodes { id name roles } } }`)).data.links;
      await expect(list('(isOpen: true)')).resolves.toEqual({
        totalCount: 1,
        nodes: [{ id: open, name: 'Nell', roles: ['auditor'] }],
      });
      await expect(list('')).resolves.toMatchObject({ totalCount: 3 });
    });

    it('require a valid address and existing groups', async () => {
      const ask = await lark.as();
      await expect(ask(invite, { input: { email: 'no address' } })).resolves.toMatchObject({
        code: 'invalid-request',
        errors: [{ extensions: { errors: [{ pointer: '/email' }] } }],
      });
      const foreign = await get(GroupsService).create(moor.system, 'Theirs');
      await expect(ask(invite, { input: { email: 'x@lark.example', groupIds: [foreign.id] } })).resolves.toMatchObject({
        code: 'not-found',
      });
    });

    it('restore a removed member with the same id', async () => {
      const member = await lark.member({ name: 'Bo Boomerang', roles: ['admin'], password: phrase });
      const ask = await lark.as();
      await ask('mutation ($input: MemberInput!) { removeMember(input: $input) { status } }', {
        input: { memberId: member.id },
      });
      const { url } = await get(InvitationsService).invite(lark.system, { email: member.email });
      await get(InvitationsService).accept(new URL(url).searchParams.get('link'), {
        name: 'Bo Again',
        password: phrase,
      });
      await expect(get(MembersService).get(lark.system, member.id)).resolves.toMatchObject({
        name: 'Bo Again',
        roles: ['member'],
        status: 'active',
        adminSince: null,
      });
    });
  });

  describe('password resets', () => {
    it('work once, end every session, and are audited with their creator', async () => {
      const member = await lark.member({ name: 'Fran Forgot', password: phrase });
      const browser = await lark.browser(member);
      const ask = await lark.as();
      const make = async () =>
        (
          await ask('mutation ($input: PasswordResetInput!) { createPasswordReset(input: $input) { url } }', {
            input: { memberId: member.id },
          })
        ).data.createPasswordReset.url as string;
      const [former, url] = [await make(), await make()];
      await expect(
        newBrowser()
          .fetch(pathOf(former))
          .then((r) => r.status),
      ).resolves.toBe(410);
      const reset = newBrowser();
      await expect((await reset.fetch(pathOf(url))).text()).resolves.toContain(member.email);
      await expect(reset.submit(pathOf(url), { password: 'my own new phrase' }).then((r) => r.status)).resolves.toBe(
        303,
      );
      await expect(browser.fetch('/account').then((r) => r.status)).resolves.toBe(303);
      await expect(reset.fetch('/account').then((r) => r.status)).resolves.toBe(200);
      await expect(
        newBrowser()
          .fetch(pathOf(url))
          .then((r) => r.status),
      ).resolves.toBe(410);
      await expect(signIn(newBrowser(), { email: member.email, password: phrase }).then((r) => r.status)).resolves.toBe(
        401,
      );
      await expect(kinds(lark)).resolves.toEqual(
        expect.arrayContaining(['password.reset_requested', 'password.reset']),
      );
    });

    it.each(['suspension', 'removal', 'demotion'] as const)('end with the %s of their creator', async (end) => {
      const maker = await lark.member({ roles: ['admin'] });
      const colleague = await lark.member({ roles: ['admin'] });
      const by = await principalOf(maker);
      const reset = await get(PasswordsService).issueReset(by, colleague.id);
      const email = `second-${end}@lark.example`;
      const invitation = await get(InvitationsService).invite(by, { email, name: 'Me again', roles: ['admin'] });
      if (end === 'suspension') await get(MemberStatusService).suspend(lark.system, maker.id);
      if (end === 'removal') await get(MemberStatusService).remove(lark.system, maker.id);
      if (end === 'demotion') await get(MembersService).setRoles(await principalOf(lark.admin), maker.id, ['auditor']);
      for (const { url } of [reset, invitation]) {
        const page = await newBrowser().fetch(pathOf(url));
        expect(page.status).toBe(410);
      }
    });

    it('stop working when the member is suspended', async () => {
      const member = await lark.member({ password: phrase });
      const { url } = await get(PasswordsService).issueReset(lark.system, member.id);
      await get(MemberStatusService).suspend(lark.system, member.id);
      await expect(
        newBrowser()
          .fetch(pathOf(url))
          .then((r) => r.status),
      ).resolves.toBe(410);
    });
  });

  describe('members', () => {
    const one = 'mutation ($input: MemberInput!) { MUTATION(input: $input) { status } }';
    const setRoles = 'mutation ($input: SetMemberRolesInput!) { setMemberRoles(input: $input) { roles } }';

    it('are listed, searched and paged', async () => {
      const org = await anOrganization(server);
      const group = await get(GroupsService).create(org.system, 'Night shift');
      for (const name of ['Cleo', 'Bert', 'Dana'])
        await org.member({ name, groupIds: name === 'Dana' ? [group.id] : [] });
      const gone = await org.member({ name: 'Gone' });
      await get(MemberStatusService).remove(org.system, gone.id);
      const ask = await org.as();
      const list = async (variables: object) => {
        const { data } = await ask(
          `query ($first: Int, $after: String, $search: String, $groupId: ID, $status: MemberStatus, $role: Role) {
             members(first: $first, after: $after, search: $search, groupId: $groupId, status: $status, role: $role) {
               nodes { name groups { name } } totalCount pageInfo { hasNextPage endCursor } } }`,
          variables,
        );
        return { names: data.members.nodes.map(({ name }: Member) => name), ...data.members };
      };
      const first = await list({ first: 2 });
      expect(first).toMatchObject({ names: ['Ada Admin', 'Bert'], totalCount: 4, pageInfo: { hasNextPage: true } });
      await expect(list({ first: 2, after: first.pageInfo.endCursor })).resolves.toMatchObject({
        names: ['Cleo', 'Dana'],
        pageInfo: { hasNextPage: false },
      });
      await expect(list({ search: 'eR' })).resolves.toMatchObject({ names: ['Bert'] });
      await expect(list({ groupId: group.id })).resolves.toMatchObject({
        nodes: [{ name: 'Dana', groups: [{ name: 'Night shift' }] }],
      });
      await expect(list({ status: 'removed' })).resolves.toMatchObject({ names: ['Gone'] });
      await expect(list({ role: 'admin' })).resolves.toMatchObject({ names: ['Ada Admin'], totalCount: 1 });
      await expect(ask('{ members(first: 201) { totalCount } }')).resolves.toMatchObject({ code: 'invalid-request' });
      await expect(ask('{ members(after: "x") { totalCount } }')).resolves.toMatchObject({ code: 'invalid-request' });
    });

    it('reject a role change that is based on outdated roles', async () => {
      const org = await anOrganization(server);
      const { id: memberId } = await org.member();
      const ask = await org.as();
      const change = (roles: string[], basedOn: string[]) => ask(setRoles, { input: { memberId, roles, basedOn } });
      await expect(change(['auditor'], ['member'])).resolves.toMatchObject({
        data: { setMemberRoles: { roles: ['auditor', 'member'] } },
      });
      await expect(change(['analyst'], ['member'])).resolves.toMatchObject({ code: 'conflict' });
      await expect(change(['member'], ['member', 'auditor'])).resolves.toMatchObject({
        data: { setMemberRoles: { roles: ['member'] } },
      });
    });

    it('always include an administrator, even if two remove each other concurrently', async () => {
      const org = await anOrganization(server);
      const ask = await org.as();
      for (const mutation of ['suspendMember', 'removeMember'])
        await expect(
          ask(one.replace('MUTATION', mutation), { input: { memberId: org.admin.id } }),
        ).resolves.toMatchObject({ code: 'last-admin' });
      await expect(ask(setRoles, { input: { memberId: org.admin.id, roles: ['member'] } })).resolves.toMatchObject({
        code: 'last-admin',
      });
      const other = await org.member({ name: 'Otto Other', roles: ['admin'] });
      const both = await Promise.allSettled([
        get(MemberStatusService).suspend(org.system, org.admin.id),
        get(MemberStatusService).remove(org.system, other.id),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    });

    it.each([
      '{ member(id: "x") { name } }',
      'mutation { suspendMember(input: { memberId: "1; drop table members" }) { id } }',
      'mutation { renameMember(input: { memberId: "ID", name: "" }) { id } }',
      'mutation { renameMember(input: { memberId: "ID", name: "  " }) { id } }',
      'mutation { renameMember(input: { memberId: "ID", name: "nul\\u0000" }) { id } }',
      'mutation { renameMember(input: { memberId: "ID", name: "two\\nlines" }) { id } }',
      'mutation { renameMember(input: { memberId: "ID", name: "half \\ud800" }) { id } }',
      `mutation { renameMember(input: { memberId: "ID", name: "${'x'.repeat(121)}" }) { id } }`,
      'mutation { setMemberRoles(input: { memberId: "ID", roles: [owner] }) { id } }',
      'mutation { createGroup(input: { name: "\\u202ekcab" }) { id } }',
      '{ members(search: "\\u0000") { totalCount } }',
    ])('reject %s', async (query) => {
      const answer = await (await lark.as())(query.replace('ID', lark.admin.id));
      expect(answer).toMatchObject({ code: 'invalid-request' });
    });

    it('may decide only requests made after they joined', async () => {
      const org = await anOrganization(server);
      const group = await get(GroupsService).create(org.system, 'Approvers');
      const early = await org.member({ name: 'Early', groupIds: [group.id] });
      const between = new Date(Date.now() + 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      const late = await org.member({ name: 'Late', groupIds: [group.id], roles: ['admin'] });
      const promoted = await get(MembersService).setRoles(await principalOf(org.admin), early.id, ['admin']);
      const suspended = await org.member({ name: 'Sus', groupIds: [group.id] });
      await get(MemberStatusService).suspend(org.system, suspended.id);
      const eligible = async (groupId: string | null, before: Date) => {
        const approvers = await get(DatabaseService).tenant(org.system, (tx) =>
          get(MembersService).listApprovers(tx, org.tenant.id, groupId),
        );
        return approvers.filter(({ since }) => since < before).map(({ id }) => id);
      };
      await expect(eligible(group.id, between)).resolves.toEqual([early.id]);
      await expect(eligible(null, between)).resolves.toEqual([org.admin.id]);
      const now = new Date(Date.now() + 1000);
      await expect(eligible(group.id, now)).resolves.toEqual([early.id, late.id]);
      await expect(eligible(null, now)).resolves.toEqual([org.admin.id, promoted.id, late.id]);
    });
  });

  describe('groups', () => {
    it('are created, renamed, filled, emptied and removed, with audit events', async () => {
      const org = await anOrganization(server);
      const member = await org.member({ name: 'Gil Grouped' });
      const ask = await org.as();
      const created = await ask('mutation { createGroup(input: { name: "Billing" }) { id } }');
      const groupId = created.data.createGroup.id as string;
      await expect(ask('mutation { createGroup(input: { name: "BILLING" }) { id } }')).resolves.toMatchObject({
        code: 'name-taken',
      });
      const change = (mutation: string, type: string, fields: string, input: object) =>
        ask(`mutation ($input: ${type}!) { ${mutation}(input: $input) { ${fields} } }`, {
          input: { groupId, ...input },
        });
      await expect(change('renameGroup', 'RenameGroupInput', 'name', { name: 'Invoices' })).resolves.toMatchObject({
        data: { renameGroup: { name: 'Invoices' } },
      });
      await expect(
        change('addGroupMember', 'GroupMemberInput', 'groups { name memberCount }', { memberId: member.id }),
      ).resolves.toMatchObject({ data: { addGroupMember: { groups: [{ name: 'Invoices', memberCount: 1 }] } } });
      const counted = { name: 'Invoices', memberCount: 1 };
      await expect(ask(`{ group(id: "${groupId}") { name memberCount } }`)).resolves.toEqual({
        data: { group: counted },
      });
      await expect(ask('{ groups { nodes { name memberCount } } }')).resolves.toEqual({
        data: { groups: { nodes: [counted] } },
      });
      await expect(get(MembersService).listGroupIds(org.system, member.id)).resolves.toEqual([groupId]);
      await expect(
        change('removeGroupMember', 'GroupMemberInput', 'groups { name }', { memberId: member.id }),
      ).resolves.toMatchObject({ data: { removeGroupMember: { groups: [] } } });
      await expect(change('removeGroup', 'GroupInput', 'id', {})).resolves.toMatchObject({
        data: { removeGroup: { id: groupId } },
      });
      await expect(ask('{ groups { totalCount } }')).resolves.toMatchObject({ data: { groups: { totalCount: 0 } } });
      await expect(kinds(org)).resolves.toEqual(
        expect.arrayContaining([
          'group.created',
          'group.renamed',
          'group.member_added',
          'group.member_removed',
          'group.removed',
        ]),
      );
    });
  });

  describe('admin tokens', () => {
    const create =
      'mutation ($input: CreateAdminTokenInput!) { createAdminToken(input: $input) { token adminToken { id hint } } }';
    const soon = () => new Date(Date.now() + 3_600_000).toISOString();

    it('can administer, but cannot decide approvals or create tokens', async () => {
      const ask = await lark.as();
      const { data } = await ask(create, { input: { name: 'Terraform', expiresAt: soon() } });
      const { token, adminToken } = data.createAdminToken;
      expect(token).toMatch(/^cs_adm_/);
      const program = lark.withToken(token);
      const me = await program('{ me { permissions sessionId member { id } } }');
      expect(me.data.me).toMatchObject({ sessionId: null, member: { id: lark.admin.id } });
      expect(me.data.me.permissions).toContain('members:manage');
      expect(me.data.me.permissions).not.toContain('approvals:decide');
      const member = await lark.member();
      const refused: [string, string, object][] = [
        ['createAdminToken', 'CreateAdminTokenInput', { name: 'x', expiresAt: soon() }],
        ['createTenantKey', 'CreateTenantKeyInput', { name: 'x', scopes: ['documents'] }],
        ['setMemberRoles', 'SetMemberRolesInput', { memberId: member.id, roles: ['admin'] }],
        ['reactivateMember', 'MemberInput', { memberId: member.id }],
        ['createPasswordReset', 'PasswordResetInput', { memberId: member.id }],
        ['inviteMember', 'InviteMemberInput', { email: 'i@lark.example', roles: ['admin'] }],
        ['createGroup', 'CreateGroupInput', { name: 'x' }],
        ['renameTenant', 'RenameTenantInput', { name: 'x' }],
        ['confirmPassword', 'ConfirmPasswordInput', { password: phrase }],
      ];
      for (const [mutation, type, input] of refused) {
        const answer = await program(`mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`, {
          input,
        });
        expect([mutation, answer.code]).toEqual([mutation, 'session-required']);
      }
      await expect(
        program('mutation ($input: MemberInput!) { suspendMember(input: $input) { status } }', {
          input: { memberId: member.id },
        }),
      ).resolves.toMatchObject({ data: { suspendMember: { status: 'suspended' } } });
      const events = (await get(AuditLogService).list(lark.system, { first: 1 })).nodes;
      expect(events[0]).toMatchObject({
        kind: 'member.suspended',
        actor: { memberId: lark.admin.id, keyId: adminToken.id, surface: 'api' },
      });
    });

    it('end when they expire, are revoked, or their creator loses permissions', async () => {
      const maker = await lark.member({ name: 'Mia Maker', roles: ['admin'] });
      const ask = await lark.as(maker);
      const make = async () => (await ask(create, { input: { name: 'CI', expiresAt: soon() } })).data.createAdminToken;
      const code = async (token: string) =>
        (await lark.withToken(token)('{ tenant { name } adminTokens { totalCount } }')).code;
      const [expired, revoked, kept] = [await make(), await make(), await make()];
      await owner.query('update admin_tokens set expires_at = now() where id = $1', [expired.adminToken.id]);
      await ask('mutation ($input: RevokeAdminTokenInput!) { revokeAdminToken(input: $input) { revokedAt } }', {
        input: { adminTokenId: revoked.adminToken.id },
      });
      await expect(Promise.all([expired, revoked, kept].map(({ token }) => code(token)))).resolves.toEqual([
        'unauthenticated',
        'unauthenticated',
        undefined,
      ]);
      const admin = await principalOf(lark.admin);
      await get(MembersService).setRoles(admin, maker.id, ['member']);
      await expect(code(kept.token)).resolves.toBe('forbidden');
      await get(MemberStatusService).suspend(admin, maker.id);
      await expect(code(kept.token)).resolves.toBe('unauthenticated');
    });

    it('can revoke themselves but no other token', async () => {
      const ask = await lark.as();
      const make = async () => (await ask(create, { input: { name: 'one', expiresAt: soon() } })).data.createAdminToken;
      const [mine, other] = [await make(), await make()];
      const program = lark.withToken(mine.token);
      const revoke = (id: string) =>
        program('mutation ($input: RevokeAdminTokenInput!) { revokeAdminToken(input: $input) { id } }', {
          input: { adminTokenId: id },
        });
      await expect(revoke(other.adminToken.id)).resolves.toMatchObject({ code: 'session-required' });
      await expect(revoke(mine.adminToken.id)).resolves.toMatchObject({
        data: { revokeAdminToken: { id: mine.adminToken.id } },
      });
      await expect(revoke(mine.adminToken.id)).resolves.toMatchObject({ code: 'unauthenticated' });
    });

    it.each(['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'tomorrow'])('reject the expiry %s', async (expiresAt) => {
      const ask = await lark.as();
      await expect(ask(create, { input: { name: 'x', expiresAt } })).resolves.toMatchObject({
        code: 'invalid-request',
      });
    });
  });

  describe('tenant keys', () => {
    it('are created with scopes, shown once, and revoked', async () => {
      const ask = await lark.as();
      const create = (input: object) =>
        ask(
          'mutation ($input: CreateTenantKeyInput!) { createTenantKey(input: $input) { key tenantKey { id hint scopes } } }',
          { input },
        );
      await expect(create({ name: 'x', scopes: [] })).resolves.toMatchObject({ code: 'invalid-request' });
      await expect(create({ name: 'x', scopes: ['everything'] })).resolves.toMatchObject({ code: 'invalid-request' });
      await expect(
        create({ name: 'x', scopes: ['documents'], expiresAt: '2020-01-01T00:00:00Z' }),
      ).resolves.toMatchObject({ code: 'invalid-request' });
      const { data } = await create({ name: 'Wiki export', scopes: ['documents'] });
      const { key, tenantKey } = data.createTenantKey;
      expect(tenantKey).toEqual({ id: expect.any(String), hint: `${key.slice(0, 11)}…`, scopes: ['documents'] });
      const { rows } = await owner.query('select * from tenant_keys where id = $1', [tenantKey.id]);
      expect(JSON.stringify(rows)).not.toContain(key.slice(12));
      const revoke = () =>
        ask('mutation ($input: RevokeTenantKeyInput!) { revokeTenantKey(input: $input) { revokedAt } }', {
          input: { tenantKeyId: tenantKey.id },
        });
      const first = await revoke();
      await expect(revoke()).resolves.toEqual(first);
      await expect(kinds(lark)).resolves.toEqual(expect.arrayContaining(['tenant_key.created', 'tenant_key.revoked']));
    });

    it('push data of their scope until they end or the organization is paused', async () => {
      const org = await anOrganization(server);
      const admin = await principalOf(org.admin);
      const create = async (scope: KeyScope) =>
        get(TenantKeysService).create(admin, {
          name: scope,
          scopes: [scope],
          expiresAt: new Date(Date.now() + 60_000),
        });
      const push = async (key: string) => {
        const response = await fetch(`${server.url}/ingest/documents/nowhere/1`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: '{}',
        });
        return [response.status, ((await response.json()) as { code: string }).code];
      };
      const [documents, estate, expired] = [
        await create('documents'),
        await create('estate'),
        await create('documents'),
      ];
      await owner.query('update tenant_keys set expires_at = now() where id = $1', [expired.tenantKey.id]);
      const [allowed] = await push(documents.key);
      expect([400, 404]).toContain(allowed);
      await expect(push(estate.key)).resolves.toEqual([403, 'forbidden']);
      await expect(push(expired.key)).resolves.toEqual([401, 'unauthenticated']);
      await get(TenantsService).pause(org.system);
      await expect(push(documents.key)).resolves.toEqual([403, 'tenant-paused']);
      await get(TenantsService).resume(admin);
      await get(TenantKeysService).revoke(admin, documents.tenantKey.id);
      await expect(push(documents.key)).resolves.toEqual([401, 'unauthenticated']);
    });

    it('are accepted only at the ingest endpoints', async () => {
      const { key } = await get(TenantKeysService).create(await principalOf(lark.admin), {
        name: 'm',
        scopes: ['documents'],
      });
      await expect(lark.withToken(key)('{ tenant { name } }')).resolves.toMatchObject({ code: 'unauthenticated' });
      await expect(lark.withToken(newToken('adm'))('{ tenant { name } }')).resolves.toMatchObject({
        code: 'unauthenticated',
      });
      await expect(lark.withToken('cs_adm_nonsense')('{ tenant { name } }')).resolves.toMatchObject({
        code: 'unauthenticated',
      });
    });
  });

  describe('refused credentials', () => {
    it('are audited in their tenant, with the number of attempts', async () => {
      const org = await anOrganization(server);
      const admin = await principalOf(org.admin);
      const { key, tenantKey } = await get(TenantKeysService).create(admin, {
        name: 'Lost key',
        scopes: ['documents'],
      });
      for (let attempt = 0; attempt < 5; attempt++) await org.withToken(key)('{ tenant { name } }');
      await org.withToken(newToken('ten'))('{ tenant { name } }');
      // the server counts a refusal after the response
      const recorded = async () => {
        await get(RefusedCredentialsService).flush();
        return (await get(AuditLogService).list(org.system, { first: 200 }, { kind: 'credential.refused' })).nodes;
      };
      const countAll = async () =>
        (await recorded()).reduce((sum, { detail }) => sum + (detail as { count: number }).count, 0);
      await expect.poll(countAll).toBe(5);
      const events = await recorded();
      expect(events.length).toBeLessThanOrEqual(2); // the server's own interval may end between two attempts
      for (const event of events)
        expect(event).toMatchObject({
          subject: { type: 'tenant_key', id: tenantKey.id, name: 'Lost key' },
          detail: { endpoints: ['/graphql'] },
        });
    });

    it('are recorded in one event for many attempts, also by two flushes at the same time', async () => {
      const org = await anOrganization(server);
      const admin = await principalOf(org.admin);
      const create = (name: string) => get(TenantKeysService).create(admin, { name, scopes: ['documents'] });
      const created = await Promise.all(['Key A', 'Key B', 'Key C'].map(create));
      const origin = { endpoint: '/graphql', address: '192.0.2.1' };
      for (const { key } of created)
        for (let attempt = 0; attempt < 5; attempt++) get(RefusedCredentialsService).recordRefusal(key, origin);
      await Promise.all([get(RefusedCredentialsService).flush(), get(RefusedCredentialsService).flush()]);
      const { nodes } = await get(AuditLogService).list(org.system, { first: 200 }, { kind: 'credential.refused' });
      const recorded = nodes.map(({ subject, detail }) => ({
        name: (subject as { name: string }).name,
        count: (detail as { count: number }).count,
      }));
      expect(recorded.sort((one, other) => one.name.localeCompare(other.name))).toEqual([
        { name: 'Key A', count: 5 },
        { name: 'Key B', count: 5 },
        { name: 'Key C', count: 5 },
      ]);
    });

    it('are not hidden by many unknown credentials', async () => {
      const org = await anOrganization(server);
      const { key } = await get(TenantKeysService).create(await principalOf(org.admin), {
        name: 'Lost key',
        scopes: ['documents'],
      });
      const show = async (token: string) => {
        const response = await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
        await response.body?.cancel();
      };
      for (let round = 0; round < 20; round++)
        await Promise.all(Array.from({ length: 50 }, () => show(newToken('ten'))));
      await show(key);
      const recordedKinds = async () => {
        await get(RefusedCredentialsService).flush();
        return kinds(org);
      };
      await expect.poll(recordedKinds).toContain('credential.refused');
    });

    it('do not include accepted credentials', async () => {
      const org = await anOrganization(server);
      const { token } = await get(AdminTokensService).create(await principalOf(org.admin), {
        name: 't',
        expiresAt: new Date(Date.now() + 60_000),
      });
      await org.withToken(token)('{ tenant { name } }');
      await get(RefusedCredentialsService).flush();
      await expect(kinds(org)).resolves.not.toContain('credential.refused');
    });
  });

  describe('revalidation', () => {
    const recheck = (principal: Principal) => get(CredentialRevalidationService).revalidate(principal);

    it('passes a principal who could make the request again now', async () => {
      await expect(recheck(await principalOf(lark.admin))).resolves.toBeNull();
      await expect(recheck(lark.system)).resolves.toBeNull();
    });

    it('fails after suspension, sign-out or a pause, and for credentials without a registered check', async () => {
      const org = await anOrganization(server);
      const member = await org.member();
      const principal = await principalOf(member);
      const { token: _, ...opened } = await get(SessionsService).open(org.system, {
        memberId: member.id,
        isFresh: true,
      });
      const signedIn = { ...principal, sessionId: opened.session.id };
      await expect(recheck(signedIn)).resolves.toBeNull();
      await get(SessionsService).end(signedIn, opened.session.id);
      await expect(recheck(signedIn)).resolves.toEqual({ reason: 'the session has ended', isPause: false });
      const chained = { ...org.system, chain: [{ kind: 'member' as const, id: member.id, name: member.name }] };
      await expect(recheck(chained)).resolves.toBeNull();
      await get(MemberStatusService).suspend(org.system, member.id);
      await expect(recheck(chained)).resolves.toMatchObject({ reason: expect.stringContaining('no longer active') });
      const ofTerminal = { ...org.system, surface: 'cli' as const, keyId: newId() };
      await expect(recheck(ofTerminal)).resolves.toMatchObject({ reason: 'the terminal is no longer connected' });
      const withoutChecks = new CredentialRevalidationService(get(DatabaseService));
      await expect(withoutChecks.revalidate(ofTerminal)).resolves.toMatchObject({
        reason: expect.stringContaining('"cli"'),
      });
      await get(TenantsService).pause(org.system);
      await expect(recheck(org.system)).resolves.toEqual({ reason: 'the organization is paused', isPause: true });
    });

    it('fails when the token is revoked', async () => {
      const session = await principalOf(lark.admin);
      const { adminToken } = await get(AdminTokensService).create(session, {
        name: 't',
        expiresAt: new Date(Date.now() + 60_000),
      });
      const program: Principal = { ...session, sessionId: undefined, keyId: adminToken.id, surface: 'api' };
      await expect(recheck(program)).resolves.toBeNull();
      await get(AdminTokensService).revoke(session, adminToken.id);
      await expect(recheck(program)).resolves.toEqual({ reason: 'the token was revoked', isPause: false });
    });
  });

  describe('the organization', () => {
    it('is paused immediately and resumed by a person', async () => {
      const org = await anOrganization(server);
      const ask = await org.as();
      const paused = await ask('mutation { pauseTenant { pausedAt } }');
      expect(paused.data.pauseTenant.pausedAt).toEqual(expect.any(String));
      await expect(ask('mutation { pauseTenant { pausedAt } }')).resolves.toEqual(paused);
      await expect(ask('mutation { resumeTenant { pausedAt } }')).resolves.toMatchObject({
        data: { resumeTenant: { pausedAt: null } },
      });
      expect((await kinds(org)).filter((kind) => kind.startsWith('tenant.')).sort()).toEqual([
        'tenant.created',
        'tenant.paused',
        'tenant.resumed',
      ]);
    });

    it('has a unique URL slug', async () => {
      const again = get(TenantsService).create(
        { name: 'test' },
        { name: 'X', slug: lark.tenant.slug, admin: { email: 'a@b.example', name: 'A' } },
      );
      await expect(again).rejects.toMatchObject({ code: 'name-taken' });
      const bad = get(TenantsService).create(
        { name: 'test' },
        { name: 'X', slug: 'Not OK', admin: { email: 'a@b.example', name: 'A' } },
      );
      await expect(bad).rejects.toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/slug' }] });
    });
  });

  describe('isolation', () => {
    const everything: [string, string, string][] = [
      ['query', '{ members { totalCount } }', 'members:manage'],
      ['query', '{ links { totalCount } }', 'members:manage'],
      ['query', '{ groups { totalCount } }', 'members:manage'],
      ['query', '{ group(id: "ID") { name } }', 'members:manage'],
      ['query', '{ adminTokens { totalCount } }', 'organization:manage'],
      ['query', '{ tenantKeys { totalCount } }', 'keys:manage'],
      ['mutation', 'mutation { pauseTenant { id } }', 'organization:manage'],
      ['mutation', 'mutation { resumeTenant { id } }', 'organization:manage'],
      ['mutation', 'mutation { renameTenant(input: { name: "x" }) { id } }', 'organization:manage'],
      ['mutation', 'mutation { createGroup(input: { name: "x" }) { id } }', 'members:manage'],
      ['mutation', 'mutation { inviteMember(input: { email: "a@b.example" }) { url } }', 'members:manage'],
      ['mutation', 'mutation { createTenantKey(input: { name: "x", scopes: [documents] }) { key } }', 'keys:manage'],
      [
        'mutation',
        'mutation { createAdminToken(input: { name: "x", expiresAt: "2030-01-01T00:00:00Z" }) { token } }',
        'organization:manage',
      ],
      ...[
        'setMemberRoles(input: { memberId: "ID", roles: [admin] })',
        'renameMember(input: { memberId: "ID", name: "x" })',
        'suspendMember(input: { memberId: "ID" })',
        'reactivateMember(input: { memberId: "ID" })',
        'removeMember(input: { memberId: "ID" })',
      ].map((field): [string, string, string] => ['mutation', `mutation { ${field} { id } }`, 'members:manage']),
    ];

    it.each(everything)('rejects the %s %s without the permission', async (_, query, permission) => {
      for (const role of ['member', 'auditor', 'analyst'] as const) {
        if (permissionsOfRoles([role]).has(permission as never)) continue;
        const ask = await lark.as(await lark.member({ roles: [role] }));
        await expect(ask(query.replace('ID', lark.admin.id))).resolves.toMatchObject({ code: 'forbidden' });
      }
      const nobody = lark.withToken('');
      await expect(nobody(query.replace('ID', lark.admin.id))).resolves.toMatchObject({ code: 'unauthenticated' });
    });

    it('hides everything of other organizations', async () => {
      const admin = await lark.as();
      const theirs = await moor.member({ name: 'Theo Theirs' });
      const group = await get(GroupsService).create(moor.system, 'Secret group');
      const { link } = await get(InvitationsService).invite(moor.system, { email: 'z@moor.example' });
      const moorAdmin = await principalOf(moor.admin);
      const { tenantKey } = await get(TenantKeysService).create(moorAdmin, { name: 'k', scopes: ['estate'] });
      const { adminToken } = await get(AdminTokensService).create(moorAdmin, {
        name: 't',
        expiresAt: new Date(Date.now() + 60_000),
      });
      const queries = [
        `{ member(id: "${theirs.id}") { name } }`,
        `{ group(id: "${group.id}") { name } }`,
        ...['suspendMember', 'reactivateMember', 'removeMember', 'createPasswordReset'].map(
          (name) => `mutation { ${name}(input: { memberId: "${theirs.id}" }) { __typename } }`,
        ),
        `mutation { setMemberRoles(input: { memberId: "${theirs.id}", roles: [admin] }) { id } }`,
        `mutation { renameMember(input: { memberId: "${theirs.id}", name: "x" }) { id } }`,
        `mutation { removeGroup(input: { groupId: "${group.id}" }) { id } }`,
        `mutation { renameGroup(input: { groupId: "${group.id}", name: "x" }) { id } }`,
        `mutation { addGroupMember(input: { groupId: "${group.id}", memberId: "${lark.admin.id}" }) { id } }`,
        `mutation { revokeLink(input: { linkId: "${link.id}" }) { id } }`,
        `mutation { revokeTenantKey(input: { tenantKeyId: "${tenantKey.id}" }) { id } }`,
        `mutation { revokeAdminToken(input: { adminTokenId: "${adminToken.id}" }) { id } }`,
      ];
      for (const query of queries) expect([query, (await admin(query)).code]).toEqual([query, 'not-found']);
      const { data } = await admin(
        '{ members(first: 200) { nodes { name } } groups { nodes { name } } tenantKeys { nodes { id } } adminTokens { nodes { id } } links { nodes { id } } }',
      );
      expect(JSON.stringify(data)).not.toMatch(
        new RegExp(`Theo|Secret group|${tenantKey.id}|${adminToken.id}|${link.id}`),
      );
    });

    it('leaves no row when the transaction fails after a save', async () => {
      const group = { tenantId: lark.tenant.id, id: newId(), name: 'Never there', createdAt: new Date() };
      const failed = get(DatabaseService).tenant(lark.system, async (tx) => {
        await tx.save(Group, group);
        throw new Error('after the save');
      });
      await expect(failed).rejects.toThrow('after the save');
      await expect(owner.query('select 1 from groups where id = $1', [group.id])).resolves.toMatchObject({
        rowCount: 0,
      });
    });

    it('opens no session for a suspended member', async () => {
      const member = await lark.member();
      await get(MemberStatusService).suspend(lark.system, member.id);
      const opened = get(SessionsService).open(lark.system, { memberId: member.id, isFresh: true });
      await expect(opened).rejects.toMatchObject({ code: 'sign-in-refused' });
    });

    it('hides rows of other organizations even from arbitrary SQL', async () => {
      const counts = await get(DatabaseService).tenant(lark.system, (tx) =>
        runSql(
          tx,
          `select (select count(*)::int from members where tenant_id = $1) + (select count(*)::int from tenants where id = $1) as seen`,
          [moor.tenant.id],
        ),
      );
      expect(counts).toEqual([{ seen: 0 }]);
      const plant = get(DatabaseService).tenant(lark.system, (tx) =>
        runSql(tx, `insert into groups (tenant_id, id, name, created_at) values ($1, $2, 'planted', now())`, [
          moor.tenant.id,
          newId(),
        ]),
      );
      await expect(plant).rejects.toMatchObject({ code: '42501' });
      await expect(get(DatabaseService).appPool.execute(statement('select 1 from members'))).resolves.toBe(0);
    });
  });
});

describe('the database catalog', () => {
  const query = async <T extends object>(text: string) => (await owner.query<T>(text)).rows;

  it('forces row-level security on every tenant table', async () => {
    const open = await query<{ name: string }>(`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
        and (c.relname = 'tenants' or exists (
          select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))`);
    expect(open).toEqual([]);
  });

  it('grants the application only tenant tables', async () => {
    const reachable = await query<{ name: string }>(`
      select distinct g.table_name as name from information_schema.role_table_grants g
      where g.grantee in ('cs_app', 'cs_bulk') and g.table_schema = 'public' and g.table_name <> 'tenants' and not exists (
        select 1 from information_schema.columns c
        where c.table_schema = 'public' and c.table_name = g.table_name and c.column_name = 'tenant_id')`);
    expect(reachable).toEqual([]);
  });

  it('has application policies that compare only the tenant', async () => {
    const loose = await query<{ tablename: string }>(`
      select tablename, policyname, qual, with_check from pg_policies
      where schemaname = 'public' and roles && '{cs_app,cs_bulk,public}'::name[]
        and qual is distinct from '(tenant_id = (NULLIF(current_setting(''app.tenant''::text, true), ''''::text))::uuid)'
        and not (tablename = 'tenants' and qual = '(id = (NULLIF(current_setting(''app.tenant''::text, true), ''''::text))::uuid)')`);
    expect(loose).toEqual([]);
  });

  it('includes the tenant in every foreign key, and in every primary and unique key that the application writes', async () => {
    const without = await query<{ name: string; key: string }>(`
      with written as (
        select table_name from information_schema.role_table_grants
        where table_schema = 'public' and grantee in ('cs_app', 'cs_bulk') and privilege_type in ('INSERT', 'UPDATE'))
      select c.relname as name, i.indexrelid::regclass::text as key
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped
      where n.nspname = 'public' and i.indisunique and not t.attnum = any (i.indkey::int2[])
        and c.relname in (select table_name from written)
      union all
      select c.relname, k.conname from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped
      where n.nspname = 'public' and k.contype = 'f' and not t.attnum = any (k.conkey)`);
    expect(without).toEqual([]);
  });

  it('uses roles that own nothing and cannot bypass policies', async () => {
    const strong = await query<{ name: string }>(`
      select rolname as name from pg_roles r
      where rolname in ('cs_app', 'cs_bulk', 'cs_system', 'cs_worker', 'cs_sealer', 'cs_login')
        and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or exists (select 1 from pg_class c where c.relowner = r.oid))`);
    expect(strong).toEqual([]);
  });
});

/** The principal of a member who has just signed in, as the session guard creates it. */
async function principalOf({ tenantId, id, name, roles }: Member): Promise<Principal> {
  const organization = { ...lark.system, tenantId };
  const { session } = await server.app.get(SessionsService).open(organization, { memberId: id, isFresh: true });
  return {
    ...organization,
    kind: 'member',
    name,
    memberId: id,
    sessionId: session.id,
    freshAt: new Date(),
    surface: 'console',
    permissions: permissionsOfRoles(roles),
  };
}
