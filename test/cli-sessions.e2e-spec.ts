import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { CommandLine } from './kit/command-line.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

/* Sign-ins of terminals: refreshed, revoked, shared by parallel commands, in the keyring. */

let server: TestServer;
let lark: Organization;
let user: Member;
let cli: CommandLine;
let owner: Client;

beforeAll(async () => {
  [server, cli] = await Promise.all([testServer(), CommandLine.build()]);
  lark = await anOrganization(server);
  user = await lark.member({ name: 'Ulla User' });
  owner = new Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

async function signedIn(settings: Parameters<CommandLine['with']>[0] = {}): Promise<CommandLine> {
  const own = cli.with(settings);
  expect(await own.login(server.url, await lark.browser(user))).toMatchObject({ code: 0 });
  return own;
}

interface StoredTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}
const loginFile = ({ home }: CommandLine) => path.join(home, '.config/countersign/logins.json');
const stored = (own: CommandLine) =>
  JSON.parse(readFileSync(loginFile(own), 'utf8')) as { logins: Record<string, { tokens: StoredTokens }> };
const tokensOf = (own: CommandLine): StoredTokens => stored(own).logins[server.url].tokens;

/** `isNoticed`: the command line knows by its own clock. */
async function expireAccessToken(own: CommandLine, { isNoticed }: { isNoticed: boolean }): Promise<void> {
  const tokens = tokensOf(own);
  await owner.query(
    `update oauth_rows set expires_at = now() - interval '1 second' where id_hash = sha256(convert_to($1, 'UTF8'))`,
    [tokens.accessToken],
  );
  if (!isNoticed) return;
  const file = stored(own);
  file.logins[server.url].tokens.expiresAt = 0;
  writeFileSync(loginFile(own), JSON.stringify(file));
}
const liveRefreshTokens = async (own: CommandLine) => {
  const { id } = (await own.json(['whoami'])).device as { id: string };
  const { rows } = await owner.query(
    `select 1 from oauth_rows where model = 'RefreshToken' and grant_id = $1 and consumed_at is null`,
    [id],
  );
  return rows.length;
};

describe('an expired access token', () => {
  it.each([true, false])(
    'is refreshed, and the refresh token rotates (noticed before the request: %s)',
    async (isNoticed) => {
      const own = await signedIn();
      const before = tokensOf(own);
      await expireAccessToken(own, { isNoticed });
      expect(await own.run(['whoami'])).toMatchObject({ code: 0 });
      const after = tokensOf(own);
      expect(after.refreshToken).not.toBe(before.refreshToken);
      expect(after.expiresAt).toBeGreaterThan(Date.now());
    },
  );

  it('is refreshed once by parallel commands', async () => {
    const own = await signedIn();
    await expireAccessToken(own, { isNoticed: true });
    const results = await Promise.all(Array.from({ length: 6 }, () => own.run(['whoami'])));
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(results.map(() => [0, '']));
    expect(await liveRefreshTokens(own)).toBe(1);
    const { rows } = await owner.query(`select 1 from audit_events where kind = 'refresh_token.replayed'`);
    expect(rows).toEqual([]);
  });

  it('is not refreshed while the new tokens could not be stored', async () => {
    const own = await signedIn();
    const before = tokensOf(own);
    await expireAccessToken(own, { isNoticed: true });
    mkdirSync(`${loginFile(own)}.new`); // in place of the file that would replace the stored one
    expect(await own.run(['whoami'])).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written') });
    expect(tokensOf(own).refreshToken).toBe(before.refreshToken);
    const { rows } = await owner.query(
      `select consumed_at from oauth_rows where id_hash = sha256(convert_to($1, 'UTF8'))`,
      [before.refreshToken],
    );
    expect(rows).toEqual([{ consumed_at: null }]);
  });

  it('is refreshed after a command died while it held the lock', async () => {
    const own = await signedIn();
    await expireAccessToken(own, { isNoticed: true });
    writeFileSync(path.join(path.dirname(loginFile(own)), 'logins.lock.9'), `999999999 ${os.hostname()}\n`);
    expect(await own.run(['whoami'])).toMatchObject({ code: 0 });
  });
});

describe('access ends with the next request', () => {
  const expectRefused = async (own: CommandLine) => {
    const { code, stdout, stderr } = await own.run(['whoami']);
    expect([code, stdout]).toEqual([77, '']);
    expect(stderr).toContain('countersign login');
  };
  const deviceOf = async (own: CommandLine) => (await own.json(['whoami'])).device.id as string;

  it('when the owner disconnects the terminal on the page of connected products', async () => {
    const own = await signedIn();
    const browser = await lark.browser(user);
    const page = await (await browser.fetch('/connected')).text();
    expect(page).toContain('Countersign command line');
    expect(page).toMatch(/countersign\/\d+\.\d+\.\d+ \(linux/);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
    await browser.post('/connected', { csrf, device: await deviceOf(own) });
    await expectRefused(own);
  });

  it('when the owner disconnects it over GraphQL, but not that of somebody else', async () => {
    const [own, another] = [await signedIn(), await signedIn()];
    const graphql = await lark.as(user);
    const { data } = await graphql('{ ownDevices { id program address scopes } }');
    expect(data.ownDevices[0]).toMatchObject({ address: '127.0.0.1', scopes: ['api_read', 'api_write'] });
    const id = await deviceOf(own);
    const revoke = `mutation { revokeOwnDevice(input: { deviceId: "${id}" }) }`;
    expect((await (await lark.as(await lark.member()))(revoke)).code).toBe('device-not-found');
    expect((await graphql(revoke)).data).toEqual({ revokeOwnDevice: id });
    expect((await graphql(revoke)).code).toBe('device-not-found');
    await expectRefused(own);
    expect(await another.run(['whoami'])).toMatchObject({ code: 0 });
  });

  it('when an administrator disconnects it, which is audited', async () => {
    const own = await signedIn();
    const id = await deviceOf(own);
    const text = `mutation { revokeDevice(input: { deviceId: "${id}" }) }`;
    expect((await (await lark.as(user))(text)).code).toBe('forbidden');
    expect((await (await (await anOrganization(server)).as())(text)).code).toBe('device-not-found');
    const admin = await lark.as();
    const { data } = await admin('{ devices(first: 50) { totalCount nodes { id memberName } } }');
    expect(data.devices.nodes).toContainEqual({ id, memberName: 'Ulla User' });
    expect((await admin(text)).data).toEqual({ revokeDevice: id });
    await expectRefused(own);
    const { nodes } = await server.app.get(AuditLogService).list(lark.system, { first: 5 }, { kind: 'device.revoked' });
    expect(nodes[0]).toMatchObject({
      subject: { type: 'member', id: user.id },
      detail: { grantId: id, address: '127.0.0.1', program: expect.stringContaining('countersign/') },
    });
  });

  it('while the member is suspended, or the organization is paused', async () => {
    const own = await signedIn();
    await owner.query(`update members set status = 'suspended' where id = $1`, [user.id]);
    await expectRefused(own).finally(() =>
      owner.query(`update members set status = 'active' where id = $1`, [user.id]),
    );
    await owner.query('update tenants set paused_at = now() where id = $1', [lark.tenant.id]);
    expect(await own.run(['whoami'])).toMatchObject({ stdout: '', stderr: expect.stringContaining('paused') });
    await owner.query('update tenants set paused_at = null where id = $1', [lark.tenant.id]);
    expect(await own.run(['whoami'])).toMatchObject({ code: 0 });
  });

  it('when the person logs out, and the refresh token is refused too', async () => {
    const own = await signedIn();
    const { refreshToken } = tokensOf(own);
    expect(await own.run(['logout'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Disconnected') });
    const response = await fetch(`${server.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: 'countersign-cli',
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      }),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    expect(await own.run(['logout', '--server', server.url])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not signed in'),
    });
  });
});

describe('a sign-in', () => {
  it('ends when the person declines', async () => {
    const own = cli.with();
    const command = own.start(['login', server.url, '--no-open']);
    const [, code] = await command.waitFor(/code ([B-Z]{4}-[B-Z]{4})/);
    const browser = await lark.browser(user);
    const page = await (await browser.submit('/device', { code })).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
    await browser.post('/device/decision', { csrf, code, decision: 'decline' });
    expect(await command.ended).toMatchObject({ code: 77, stderr: expect.stringContaining('declined') });
  });

  it('with read access cannot call a tool that changes something', async () => {
    const own = cli.with();
    await own.login(server.url, await lark.browser(user), ['--read-only']);
    expect((await own.json(['whoami'])).scopes).toEqual(['api:read']);
    expect(await own.run(['task', 'list'])).toMatchObject({ code: 0 });
    expect(await own.run(['task', 'cancel', 'x'])).toMatchObject({ code: 77 });
  });

  it('replaces the earlier one of this terminal at the same server', async () => {
    const own = await signedIn();
    const earlier = tokensOf(own);
    expect(await own.login(server.url, await lark.browser(user))).toMatchObject({ code: 0 });
    expect(await own.run(['whoami'])).toMatchObject({ code: 0 });
    const env = { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: earlier.accessToken };
    const { code, stderr } = await own.run(['whoami'], { env });
    expect([code, stderr]).toEqual([77, expect.stringContaining('does not accept the token of COUNTERSIGN_TOKEN')]);
  });

  it('at another server is a separate one, and the last one is the default', async () => {
    const own = await signedIn();
    const again = server.url.replace('127.0.0.1', 'localhost');
    expect(await own.run(['whoami', '--server', again])).toMatchObject({ code: 77 });
    expect(await own.run(['whoami'])).toMatchObject({ code: 0 });
  });
});

describe('the keyring', () => {
  /** A package in place of the real one, which stores secrets in a file and can fail. */
  const installKeyring = (own: CommandLine, folder: string) => {
    const target = path.join(own.folder, 'node_modules/@napi-rs/keyring');
    mkdirSync(target, { recursive: true });
    writeFileSync(
      path.join(target, 'index.js'),
      `const fs = require('node:fs');
       const file = ${JSON.stringify(path.join(folder, 'keyring.json'))};
       const all = () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {});
       exports.Entry = class {
         constructor(service, account) { this.key = service + ' ' + account; }
         getPassword() { return all()[this.key] ?? null; }
         setPassword(secret) {
           if (process.env.TEST_KEYRING === 'locked') throw new Error('locked');
           fs.writeFileSync(file, JSON.stringify({ ...all(), [this.key]: secret }));
         }
         deletePassword() { const rest = all(); delete rest[this.key]; fs.writeFileSync(file, JSON.stringify(rest)); return true; }
       };`,
    );
    return () => JSON.parse(readFileSync(path.join(folder, 'keyring.json'), 'utf8')) as Record<string, string>;
  };

  it('has the tokens, and the file has none', async () => {
    const program = await CommandLine.build({ COUNTERSIGN_TOKEN_STORE: '' });
    const secrets = installKeyring(program, program.home);
    expect(await program.login(server.url, await lark.browser(user))).toMatchObject({ code: 0 });
    expect(readFileSync(loginFile(program), 'utf8')).not.toContain('cs_');
    const key = `countersign ${server.url}`;
    expect(JSON.parse(secrets()[key])).toMatchObject({ accessToken: expect.stringMatching(/^cs_cli_/) });
    expect(await program.run(['whoami'])).toMatchObject({ code: 0 });

    const { accessToken } = JSON.parse(secrets()[key]) as StoredTokens;
    await owner.query('delete from oauth_rows where id_hash = sha256(convert_to($1, $2))', [accessToken, 'UTF8']);
    expect(await program.run(['whoami'])).toMatchObject({ code: 0 });
    expect((JSON.parse(secrets()[key]) as StoredTokens).accessToken).not.toBe(accessToken);
    expect(readFileSync(loginFile(program), 'utf8')).not.toContain('cs_');

    expect(await program.run(['logout'])).toMatchObject({ code: 0 });
    expect(secrets()).toEqual({});

    const locked = program.with({ env: { TEST_KEYRING: 'locked' } });
    expect(await locked.login(server.url, await lark.browser(user))).toMatchObject({ code: 0 });
    expect(readFileSync(loginFile(locked), 'utf8')).toContain('cs_cli_');
    expect(await locked.run(['whoami'])).toMatchObject({ code: 0 });
  });
});

describe('doctor', () => {
  it('checks everything', async () => {
    const own = await signedIn();
    const { checks } = await own.json(['doctor']);
    expect(checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual([
      ['Command line', true],
      ['Node', true],
      ['Stored login', true],
      ['Server', true],
      ['Clock', true],
      ['Sign-in', true],
    ]);
  });

  it('reports a stored login that cannot be read', async () => {
    const { stdout } = await cli
      .with({ env: { XDG_CONFIG_HOME: path.join(os.tmpdir(), 'x'.repeat(300)) } })
      .run(['doctor']);
    expect(stdout).toMatch(/✗ Stored login: cannot be read \(ENAMETOOLONG/);
  });

  it.each([
    ['no login', [], 77, /✗ Server: You are not signed in/],
    ['a server that is down', ['--server', 'http://127.0.0.1:1'], 69, /✗ Server: .* cannot be reached/],
  ])('reports %s', async (_, args, code, line) => {
    expect(await cli.with().run(['doctor', ...args])).toMatchObject({ code, stdout: expect.stringMatching(line) });
  });
});
