import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type Browser as Chromium, type BrowserContext, type CDPSession, type Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { operatorCommands } from '../src/operator/commands.js';
import type { CommandApplication } from '../src/operator/command-application.js';
import { SoftPasskey } from './kit/soft-passkey.js';
import { Browser } from './kit/browser.js';
import { optionsOn, registerPasskey as register } from './kit/passkeys.js';
import { launchChromium } from '../examples/chromium.js';
import { hasChromium } from './kit/console.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { OidcProvider } from './kit/oidc-provider.js';

const phrase = 'four plain words here';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let owner: pg.Client;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
const events = async (kind: string, organization = lark) =>
  (await get(AuditLogService).list(organization.system, { first: 50 }, { kind })).nodes;

beforeAll(async () => {
  // browsers accept passkeys for host names, not for IP addresses
  server = await testServer({ HOST: 'localhost' });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  lark = await anOrganization(server, { name: 'Larkmoor', password: phrase });
  moor = await anOrganization(server, { name: 'Moor', password: phrase });
});
afterEach(() => owner.query('delete from attempts'));
afterAll(async () => {
  await owner.end();
  await server.close();
});

/** A member with a passkey. */
async function aKeyholder(organization = lark, { password = phrase }: { password?: string } = {}) {
  const member = await organization.member({ name: 'Kai Keyholder', password });
  const browser = await organization.browser(member);
  const key = new SoftPasskey(server.url);
  const made = await register(browser, key);
  expect(made.status).toBe(303);
  return { member, browser, key };
}

async function signInWith(
  key: SoftPasskey,
  { browser = new Browser(server.url), next = '/account', change = {} as Parameters<SoftPasskey['get']>[1] } = {},
) {
  const { options, form } = await optionsOn(await browser.fetch(`/sign-in/passkey?${new URLSearchParams({ next })}`));
  return browser.post(form.action, { ...form.hidden, credential: JSON.stringify(key.get(options, change)) });
}

const isSignedIn = async (browser: Browser) => (await browser.fetch('/account')).status === 200;

describe('passkey registration', () => {
  it('stores the public key after a recent confirmation of identity', async () => {
    const { member, browser } = await aKeyholder();
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.toContain('Laptop');
    const { data } = await (
      await lark.as()
    )('query ($id: ID) { signInMethods(memberId: $id) { hasPassword passkeys { name isSynced usedAt } } }', {
      id: member.id,
    });
    expect(data.signInMethods).toEqual({
      hasPassword: true,
      passkeys: [{ name: 'Laptop', isSynced: false, usedAt: null }],
    });
    expect((await events('passkey.registered'))[0]).toMatchObject({
      subject: { id: member.id },
      detail: { name: 'Laptop' },
    });
  });

  it('requests a discoverable, user-verifying passkey and excludes the registered ones', async () => {
    const { member, browser, key } = await aKeyholder();
    const { options } = await optionsOn(await browser.fetch('/account/ways-in'));
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Countersign' },
      user: { id: Buffer.from(member.id.replaceAll('-', ''), 'hex').toString('base64url'), name: member.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: key.id }],
      attestation: 'none',
    });
  });

  it('requires a new confirmation after ten minutes', async () => {
    const member = await lark.member({ password: phrase });
    const { browser, key } = { browser: await lark.browser(member), key: new SoftPasskey(server.url) };
    const { options, form } = await optionsOn(await browser.fetch('/account/ways-in'));
    await owner.query(`update sessions set fresh_at = now() - interval '11 minutes' where member_id = $1`, [member.id]);
    const answer = await browser.post(form.action, {
      ...form.hidden,
      name: 'x',
      credential: JSON.stringify(key.create(options)),
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/confirm?next=/account/ways-in']);
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.not.toContain('data-passkey');
  });

  it.each<[string, ConstructorParameters<typeof SoftPasskey>[1]]>([
    ['made for another origin', { origin: 'https://evil.example' }],
    ['made for another server', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['that answers another ceremony', { type: 'webauthn.get' }],
  ])('rejects a passkey %s', async (_, traits) => {
    const browser = await lark.browser(await lark.member({ password: phrase }));
    expect((await register(browser, new SoftPasskey(server.url, traits))).status).toBe(401);
  });

  it.each([
    ['an empty response', () => ''],
    ['invalid JSON', () => '{'],
    ['another shape', () => '{"id":"x"}'],
    ['an oversized response', (text: string) => text + ' '.repeat(66_000)],
    ['invalid client data', (text: string) => text.replace(/"clientDataJSON":"[^"]+"/, '"clientDataJSON":"eA"')],
  ])('rejects %s', async (_, spoil) => {
    const browser = await lark.browser(await lark.member({ password: phrase }));
    const { status } = await register(browser, new SoftPasskey(server.url), { spoil });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('accepts a response once, and only in the session that requested it', async () => {
    const [member, other] = [await lark.member({ password: phrase }), await lark.member({ password: phrase })];
    const [browser, stranger] = [await lark.browser(member), await lark.browser(other)];
    const { options, form } = await optionsOn(await browser.fetch('/account/ways-in'));
    const credential = JSON.stringify(new SoftPasskey(server.url).create(options));
    const strangers = await optionsOn(await stranger.fetch('/account/ways-in'));
    const elsewhere = await stranger.post(strangers.form.action, { ...strangers.form.hidden, name: 'x', credential });
    expect(elsewhere.status).toBe(401);
    const send = () => browser.post(form.action, { ...form.hidden, name: 'x', credential });
    const statuses = await Promise.all([send(), send()]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([303, 401]);
  });

  it('accepts only requests from its own pages', async () => {
    const browser = await lark.browser(await lark.member({ password: phrase }));
    const { options, form } = await optionsOn(await browser.fetch('/account/ways-in'));
    const credential = JSON.stringify(new SoftPasskey(server.url).create(options));
    const sent = await browser.post(form.action, { ...form.hidden, name: 'x', credential }, 'https://evil.example');
    expect(sent.status).toBe(403);
  });
});

describe('sign-in with only a passkey', () => {
  it('identifies the account, opens a fresh session and returns to the requested page', async () => {
    const { member, key } = await aKeyholder();
    const browser = new Browser(server.url);
    const response = await signInWith(key, { browser, next: '/sign-out' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-out']);
    await expect((await browser.fetch('/account')).text()).resolves.toContain(member.email);
    const { rows } = await owner.query('select fresh_at from sessions where member_id = $1 order by created_at desc', [
      member.id,
    ]);
    expect(rows[0].fresh_at).not.toBeNull();
    expect((await events('session.opened'))[0].detail).toMatchObject({ by: 'passkey' });
  });

  it('requests no specific passkey and stores the challenge as a hash', async () => {
    const { options } = await optionsOn(await new Browser(server.url).fetch('/sign-in/passkey'));
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
    const { rows } = await owner.query(`select encode(hash, 'hex') as hash from challenges`);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(options.challenge, 'base64url').toString('hex'));
  });

  it.each<[string, Parameters<SoftPasskey['get']>[1]]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another server', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
    ['without user presence', { isPresent: false }],
    ['from a cross-origin frame', { crossOrigin: true }],
    ['to another ceremony', { type: 'webauthn.create' }],
    ['without a user handle', { userHandle: null }],
    ['with an unknown user handle', { userHandle: Buffer.alloc(16).toString('base64url') }],
    ['with a forged signature', { isForged: true }],
    ['to its own challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ])('rejects a response %s', async (_, change) => {
    const { key } = await aKeyholder();
    const browser = new Browser(server.url);
    const response = await signInWith(key, { browser, change });
    const text = await response.text();
    expect([response.status, text]).toEqual([401, expect.stringContaining('name="password"')]);
    await expect(isSignedIn(browser)).resolves.toBe(false);
  });

  it('rejects the passkey of another member and an unregistered passkey', async () => {
    const [mine, theirs] = [await aKeyholder(), await aKeyholder()];
    const userHandle = Buffer.from(theirs.member.id.replaceAll('-', ''), 'hex').toString('base64url');
    expect((await signInWith(mine.key, { change: { userHandle } })).status).toBe(401);
    const unknown = new SoftPasskey(server.url);
    unknown.userHandle = userHandle;
    expect((await signInWith(unknown)).status).toBe(401);
  });

  it('accepts a response once, before it expires, from the browser that requested it', async () => {
    const { key } = await aKeyholder();
    const browser = new Browser(server.url);
    const { options, form } = await optionsOn(await browser.fetch('/sign-in/passkey'));
    const credential = JSON.stringify(key.get(options));
    const stranger = new Browser(server.url);
    const strangers = await optionsOn(await stranger.fetch('/sign-in/passkey'));
    expect((await stranger.post(strangers.form.action, { ...strangers.form.hidden, credential })).status).toBe(401);
    const send = () => browser.post(form.action, { ...form.hidden, credential });
    const statuses = await Promise.all([send(), send(), send()]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
    const late = new Browser(server.url);
    const asked = await optionsOn(await late.fetch('/sign-in/passkey'));
    await owner.query(`update challenges set expires_at = now() - interval '1 second'`);
    const answer = JSON.stringify(key.get(asked.options));
    expect((await late.post(asked.form.action, { ...asked.form.hidden, credential: answer })).status).toBe(401);
  });

  it('rejects a signature counter that goes backwards, which suggests a copy, and audits it', async () => {
    const { member, key } = await aKeyholder();
    key.counter = 7;
    expect((await signInWith(key)).status).toBe(303);
    expect((await signInWith(key)).status).toBe(303);
    key.counter = 8; // sends 9 a second time
    expect((await signInWith(key)).status).toBe(401);
    key.counter = 5;
    expect((await signInWith(key)).status).toBe(401);
    key.counter = -1; // sends 0, like an authenticator without a counter
    expect((await signInWith(key)).status).toBe(401);
    const [event] = await events('passkey.counter_went_back');
    expect(event).toMatchObject({ subject: { id: member.id } });
  });

  it('accepts an authenticator without a counter', async () => {
    const member = await lark.member({ password: phrase });
    const key = new SoftPasskey(server.url, { isCounting: false });
    await register(await lark.browser(member), key);
    expect((await signInWith(key)).status).toBe(303);
    expect((await signInWith(key)).status).toBe(303);
  });

  it('rejects suspended members and deletes the passkeys of removed members', async () => {
    const { member, key } = await aKeyholder();
    await get(MemberStatusService).suspend(lark.system, member.id);
    expect((await signInWith(key)).status).toBe(401);
    await get(MemberStatusService).remove(lark.system, member.id);
    expect((await owner.query('select 1 from passkeys where member_id = $1', [member.id])).rows).toEqual([]);
  });

  it('opens only the organization of the passkey, even if another one contains the same credential id', async () => {
    const mine = await aKeyholder(lark);
    const thief = await moor.member({ password: phrase });
    const copy = new SoftPasskey(server.url, {}, mine.key.id);
    await register(await moor.browser(thief), copy);
    const browser = new Browser(server.url);
    expect((await signInWith(mine.key, { browser })).status).toBe(303);
    await expect((await browser.fetch('/account')).text()).resolves.toContain('Larkmoor');
    copy.userHandle = mine.key.userHandle;
    expect((await signInWith(copy)).status).toBe(401);
  });

  it('blocks after five attempts on one passkey from one address', async () => {
    const { key } = await aKeyholder();
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await signInWith(key, { change: { isForged: true } })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describe('a passkey as second factor', () => {
  const withPassword = (browser: Browser, member: Member, password = phrase) =>
    browser.submit(`/sign-in?organization=${lark.tenant.slug}&next=/sign-out`, { email: member.email, password });
  const want = async (member: Member, isWanted: boolean) =>
    (
      await (
        await lark.as(member)
      )(
        'mutation ($input: SetSecondFactorPreferenceInput!) { setSecondFactorPreference(input: $input) { wantsSecondFactor } }',
        {
          input: { isWanted },
        },
      )
    ).data.setSecondFactorPreference;
  const require = async (isRequired: boolean) =>
    (
      await (
        await lark.as()
      )(
        'mutation ($input: RequireSecondFactorInput!) { requireSecondFactor(input: $input) { requiresSecondFactor } }',
        { input: { isRequired } },
      )
    ).data.requireSecondFactor;

  it('is required if the member chooses it', async () => {
    const { member, key } = await aKeyholder();
    await expect(want(member, true)).resolves.toEqual({ wantsSecondFactor: true });
    const browser = new Browser(server.url);
    const page = await withPassword(browser, member);
    const { options, form } = await optionsOn(page);
    expect(options.allowCredentials).toEqual([expect.objectContaining({ id: key.id })]);
    await expect(isSignedIn(browser)).resolves.toBe(false);
    const response = await browser.post(form.action, { ...form.hidden, credential: JSON.stringify(key.get(options)) });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-out']);
    expect((await events('session.opened'))[0].detail).toMatchObject({ by: 'password and passkey' });
    await want(member, false);
    expect((await withPassword(new Browser(server.url), member)).status).toBe(303);
  });

  it('is required if the organization demands it, for members who have a passkey', async () => {
    const { member } = await aKeyholder();
    const without = await lark.member({ password: phrase });
    await expect(require(true)).resolves.toEqual({ requiresSecondFactor: true });
    await expect((await withPassword(new Browser(server.url), member)).text()).resolves.toContain('Use your passkey');
    expect((await withPassword(new Browser(server.url), without)).status).toBe(303);
    await require(false);
    expect((await events('tenant.second_factor_required')).length).toBe(1);
  });

  it('must belong to the same member, and is not requested after a wrong password', async () => {
    const [mine, theirs] = [await aKeyholder(), await aKeyholder()];
    await want(mine.member, true);
    const browser = new Browser(server.url);
    const { options, form } = await optionsOn(await withPassword(browser, mine.member));
    const sent = await browser.post(form.action, {
      ...form.hidden,
      credential: JSON.stringify(theirs.key.get(options)),
    });
    expect(sent.status).toBe(401);
    await expect(isSignedIn(browser)).resolves.toBe(false);
    const wrong = await withPassword(new Browser(server.url), mine.member, 'not the right one');
    expect(wrong.status).toBe(401);
    await expect(wrong.text()).resolves.not.toContain('data-passkey');
  });

  it('is required after a reset link, unless the link removes the passkeys', async () => {
    const { member, key } = await aKeyholder();
    await want(member, true);
    const reset = async (removesPasskeys: boolean) => {
      const { data } = await (
        await lark.as()
      )(
        'mutation ($input: PasswordResetInput!) { createPasswordReset(input: $input) { url link { removesPasskeys } } }',
        { input: { memberId: member.id, removesPasskeys } },
      );
      expect(data.createPasswordReset.link).toEqual({ removesPasskeys });
      const browser = new Browser(server.url);
      const url = (data.createPasswordReset.url as string).slice(server.url.length);
      return { browser, response: await browser.submit(url, { password: `another long phrase ${removesPasskeys}` }) };
    };
    const kept = await reset(false);
    expect(kept.response.status).toBe(200);
    await expect(isSignedIn(kept.browser)).resolves.toBe(false);
    const { options, form } = await optionsOn(kept.response);
    const done = await kept.browser.post(form.action, { ...form.hidden, credential: JSON.stringify(key.get(options)) });
    expect(done.status).toBe(303);
    const forgotten = await reset(true);
    expect(forgotten.response.status).toBe(303);
    await expect(isSignedIn(forgotten.browser)).resolves.toBe(true);
    expect((await signInWith(key)).status).toBe(401);
    expect((await events('password.reset'))[0].detail).toMatchObject({ forgottenPasskeys: 1 });
  });

  it('is removed by a reset link of the operator with that option', async () => {
    const { member, key } = await aKeyholder();
    const said: string[] = [];
    const fixture = { get, close: async () => undefined } as CommandApplication;
    const around = {
      print: (line: string) => void said.push(line),
      openApplication: async () => fixture,
      databaseSchema: { migrations: [], repeatableMigrations: [] },
    };
    const typed = ['admin', 'reset-link', member.email, '--organization', lark.tenant.slug, '--forget-passkeys'];
    await operatorCommands(around).parseAsync(typed, { from: 'user' });
    const reset = await new Browser(server.url).submit(said[0].slice(server.url.length), {
      password: 'yet another phrase',
    });
    expect(reset.status).toBe(303);
    expect((await signInWith(key)).status).toBe(401);
  });

  it('requires the permission, or a recent confirmation of identity, to be changed', async () => {
    const { member } = await aKeyholder();
    const mutation = 'mutation ($input: RequireSecondFactorInput!) { requireSecondFactor(input: $input) { id } }';
    expect((await (await lark.as(member))(mutation, { input: { isRequired: true } })).code).toBe('forbidden');
    const stale = await lark.as(member, { isFresh: false });
    const wanted =
      'mutation ($input: SetSecondFactorPreferenceInput!) { setSecondFactorPreference(input: $input) { memberId } }';
    expect((await stale(wanted, { input: { isWanted: true } })).code).toBe('reauthentication-required');
  });
});

describe('confirmation of identity', () => {
  const confirm = async (browser: Browser, key: SoftPasskey) => {
    const { options, form } = await optionsOn(await browser.fetch('/confirm?next=/sign-out'));
    return browser.post(form.action, { ...form.hidden, credential: JSON.stringify(key.get(options)) });
  };

  it('accepts the member’s own passkey or password', async () => {
    const { member, key } = await aKeyholder();
    const browser = await lark.browser(member, { isFresh: false });
    const answer = await confirm(browser, key);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-out']);
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.toContain('data-passkey="create"');
    const other = await lark.browser(member, { isFresh: false });
    const wrong = await other.submit('/confirm?next=/sign-out', { password: 'not the right one' });
    expect(wrong.status).toBe(403);
    const right = await other.submit('/confirm?next=/sign-out', { password: phrase });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/sign-out']);
  });

  it('rejects the passkey of another member and a response to another challenge', async () => {
    const [mine, theirs] = [await aKeyholder(), await aKeyholder()];
    const browser = await lark.browser(mine.member, { isFresh: false });
    expect((await confirm(browser, theirs.key)).status).toBe(401);
    const { options } = await optionsOn(await browser.fetch('/sign-in/passkey'));
    const { form } = await optionsOn(await browser.fetch('/confirm'));
    const credential = JSON.stringify(mine.key.get(options));
    expect((await browser.post(form.action, { ...form.hidden, credential })).status).toBe(401);
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.toContain('/confirm?next=');
  });
});

describe('passkey management', () => {
  it('renames and removes the caller’s own passkeys only, and never the last sign-in method', async () => {
    const { member, browser, key } = await aKeyholder();
    const ask = await lark.as(member);
    const { data } = await ask('{ signInMethods { passkeys { id } } }');
    const passkeyId = data.signInMethods.passkeys[0].id as string;
    const rename = 'mutation ($input: RenamePasskeyInput!) { renamePasskey(input: $input) { name } }';
    const remove = 'mutation ($input: PasskeyInput!) { removePasskey(input: $input) { id } }';
    const admin = await lark.as();
    expect((await admin(rename, { input: { passkeyId, name: 'Mine' } })).code).toBe('not-found');
    expect((await admin(remove, { input: { passkeyId } })).code).toBe('not-found');
    expect((await ask(rename, { input: { passkeyId, name: 'Old laptop' } })).data.renamePasskey.name).toBe(
      'Old laptop',
    );
    expect((await ask('mutation { removePassword { hasPassword } }')).data.removePassword).toEqual({
      hasPassword: false,
    });
    expect((await ask(remove, { input: { passkeyId } })).code).toBe('last-way-in');
    await expect((await browser.fetch('/account/ways-in')).text()).resolves.toContain('Not set.');
    const { status } = await new Browser(server.url).submit(`/sign-in?organization=${lark.tenant.slug}`, {
      email: member.email,
      password: phrase,
    });
    expect(status).toBe(401);
    expect((await signInWith(key)).status).toBe(303);
    await owner.query(`update members set password_hash = 'x' where id = $1`, [member.id]);
    expect((await ask(remove, { input: { passkeyId } })).code).toBeUndefined();
    expect((await signInWith(key)).status).toBe(401);
  });

  it('keeps the last sign-in method when two are removed concurrently', async () => {
    const { member, browser } = await aKeyholder();
    await register(browser, new SoftPasskey(server.url), { name: 'Phone' });
    const ask = await lark.as(member);
    await ask('mutation { removePassword { hasPassword } }');
    const { data } = await ask('{ signInMethods { passkeys { id } } }');
    const remove = 'mutation ($input: PasskeyInput!) { removePasskey(input: $input) { id } }';
    const answers = await Promise.all(
      (data.signInMethods.passkeys as { id: string }[]).map(({ id }) => ask(remove, { input: { passkeyId: id } })),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual(['last-way-in', undefined]);
  });

  it('shows sign-in methods only to the member and to administrators', async () => {
    const { member } = await aKeyholder();
    const other = await lark.as(await lark.member());
    expect((await other('query ($id: ID) { signInMethods(memberId: $id) { memberId } }', { id: member.id })).code).toBe(
      'forbidden',
    );
    const stranger = await moor.as();
    expect(
      (await stranger('query ($id: ID) { signInMethods(memberId: $id) { memberId } }', { id: member.id })).code,
    ).toBe('not-found');
    expect((await other('{ signInMethods(memberId: "nobody") { memberId } }')).code).toBe('invalid-request');
  });
});

const inChromium = hasChromium ? describe : describe.skip;
inChromium('in a browser', () => {
  let browser: Chromium;
  let context: BrowserContext;
  let page: Page;
  let devices: CDPSession;
  const refusedByPolicy: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext();
    page = await context.newPage();
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) refusedByPolicy.push(message.text());
    });
    devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(() => browser?.close());

  const signInWithPassword = async (member: Member) => {
    await page.goto(`${server.url}/sign-in?organization=${lark.tenant.slug}`);
    await page.getByLabel('Email').fill(member.email);
    await page.getByLabel('Password').fill(phrase);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('registers a passkey, signs in with it, confirms with it, and uses it after the password', async () => {
    const member = await lark.member({ name: 'Bo Browser', password: phrase });
    await signInWithPassword(member);
    await page.waitForURL(`${server.url}/console`);
    await page.goto(`${server.url}/account`);
    await expect(page.title()).resolves.toContain('Bo Browser');
    await page.getByRole('link', { name: 'Sign-in methods' }).click();
    await page.getByLabel('Name of the new passkey').fill('Virtual key');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('button', { name: 'Remove Virtual key' }).waitFor();
    await page.getByRole('button', { name: 'Require a passkey, too' }).click();
    await page.getByText('You sign in with your password and a passkey.').waitFor();

    await context.clearCookies();
    await page.goto(`${server.url}/sign-in?organization=${lark.tenant.slug}&next=/sign-out`);
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${server.url}/sign-out`);

    await owner.query('update sessions set fresh_at = null');
    await page.goto(`${server.url}/account/ways-in`);
    await page.getByRole('link', { name: 'Confirm your identity to change these' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Remove Virtual key' }).waitFor();

    await context.clearCookies();
    await signInWithPassword(member);
    await page.getByText('The password is correct.').waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${server.url}/console`);
    expect(refusedByPolicy).toEqual([]);
  });

  it('shows an error if there is no passkey, and keeps the page usable', async () => {
    await devices.send('WebAuthn.disable');
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    await context.clearCookies();
    await page.goto(`${server.url}/sign-in/passkey`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The request was canceled, timed out, or there is no matching passkey.').waitFor();
    await page.getByRole('link', { name: 'Use another sign-in method' }).click();
    await page.getByLabel('Email').waitFor();
  });

  it('redirects to a provider and back from a link and from forms, whose targets are limited to our own pages', async () => {
    const upstream = await OidcProvider.start();
    const input = {
      name: 'Larkmoor ID',
      issuer: upstream.issuer,
      clientId: 'countersign',
      emailDomains: ['larkmoor.example'],
      createsMembers: true,
    };
    const { data } = await (
      await lark.as()
    )('mutation ($input: CreateSignInProviderInput!) { createSignInProvider(input: $input) { redirectUri } }', {
      input,
    });
    upstream.register({ clientId: 'countersign', redirectUri: data.createSignInProvider.redirectUri as string });
    upstream.account = { sub: 'one', email: 'one@larkmoor.example', email_verified: true, name: 'One From There' };
    await context.clearCookies();
    await page.goto(`${server.url}/sign-in?organization=${lark.tenant.slug}`);
    await page.getByRole('link', { name: 'Sign in with Larkmoor ID' }).click();
    await page.waitForURL(`${server.url}/console`);
    await page.goto(`${server.url}/account`);
    await expect(page.title()).resolves.toContain('One From There');
    await page.goto(`${server.url}/confirm?next=/sign-out`);
    await page.getByRole('button', { name: 'Sign in with Larkmoor ID again' }).click();
    await page.waitForURL(`${server.url}/sign-out`);

    upstream.account = { sub: 'two', email: 'two@larkmoor.example', email_verified: true };
    await context.clearCookies();
    await signInWithPassword(await lark.member({ name: 'Lia Linker', password: phrase }));
    await page.goto(`${server.url}/account/ways-in`);
    await page.getByRole('button', { name: 'Link Larkmoor ID' }).click();
    await page.getByText('two@larkmoor.example').waitFor();
    expect(refusedByPolicy).toEqual([]);
    await upstream.close();
  });

  it('signs in with the password without JavaScript', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const tab = await plain.newPage();
    await tab.goto(`${server.url}/sign-in/passkey`);
    await tab.getByText('Passkeys need JavaScript.').waitFor();
    await expect(tab.getByRole('button', { name: 'Use a passkey' }).isDisabled()).resolves.toBe(true);
    await tab.goto(`${server.url}/sign-in?organization=${lark.tenant.slug}`);
    await tab.getByLabel('Email').fill(lark.admin.email);
    await tab.getByLabel('Password').fill(phrase);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.waitForURL(`${server.url}/console`);
    await plain.close();
  });
});
