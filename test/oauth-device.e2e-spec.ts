import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { GrantsService } from '../src/oauth/grants.service.js';
import { tokenKind } from '../src/platform/crypto/tokens.js';
import type { Browser } from './kit/browser.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let owner: pg.Client;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor' });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const client_id = 'countersign-cli';
const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const start = async (fields: Record<string, string> = {}) =>
  (await post('/oauth2/device_authorization', { client_id, ...fields }, { 'user-agent': 'cs/1.0 (laptop)' })).body;
const poll = (device_code: string, fields: Record<string, string> = {}) =>
  post('/oauth2/token', {
    client_id,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code,
    ...fields,
  });
/** Simulates that the terminal waited between two polls. */
const wait = () => owner.query(`update oauth_rows set payload = payload - 'polledAt' where model = 'DeviceCode'`);
const type = (browser: Browser, code: string) => browser.submit('/device', { code });
async function decide(browser: Browser, code: string, decision: string) {
  const page = await (await type(browser, code)).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
  return browser.post('/device/decision', { csrf, code, decision });
}

describe('a terminal', () => {
  it('gets access after a person enters its code', async () => {
    const started = await start({ scope: 'api:write' });
    expect(started).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: `${server.url}/device`,
      expires_in: 600,
      interval: 5,
    });
    await expect(poll(started.device_code)).resolves.toMatchObject({
      status: 400,
      body: { error: 'authorization_pending' },
    });
    await expect(poll(started.device_code)).resolves.toMatchObject({ status: 400, body: { error: 'slow_down' } });

    const browser = await lark.browser();
    const asked = await (await type(browser, started.user_code.toLowerCase().replace('-', ' '))).text();
    expect(asked).toMatch(/only a code that <strong>your own terminal<\/strong>/);
    expect(asked).toContain('cs/1.0 (laptop)');
    expect(asked).toContain('127.0.0.1');
    expect(asked).toContain(started.user_code);
    expect(asked).toContain('Larkmoor');
    await expect((await decide(browser, started.user_code, 'approve')).text()).resolves.toContain('Terminal connected');

    await wait();
    await expect(poll(started.device_code, { resource: 'https://elsewhere.example/v1' })).resolves.toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    });
    await wait(); // a refused request consumes nothing
    const { status, body } = await poll(started.device_code);
    expect([status, tokenKind(body.access_token), tokenKind(body.refresh_token), body.scope]).toEqual([
      200,
      'cli',
      'ref',
      'api:read api:write',
    ]);
    await wait();
    await expect(poll(started.device_code)).resolves.toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const kinds = (await server.app.get(AuditLogService).list(lark.system, { first: 50 })).nodes.map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(expect.arrayContaining(['device.approved']));
  });

  it('uses its refresh token, appears under connected products, and can be disconnected', async () => {
    const started = await start();
    await decide(await lark.browser(), started.user_code, 'approve');
    const { body } = await poll(started.device_code);
    const next = await post('/oauth2/token', {
      client_id,
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token,
    });
    expect([next.status, tokenKind(next.body.access_token)]).toEqual([200, 'cli']);
    const grants = await server.app.get(GrantsService).list(lark.system, { clientId: client_id });
    expect(grants.length).toBeGreaterThan(0);
    const browser = await lark.browser();
    await expect((await browser.fetch('/connected')).text()).resolves.toContain('Countersign command line');
    await browser.submit('/connected');
    await expect(
      post('/oauth2/token', { client_id, grant_type: 'refresh_token', refresh_token: next.body.refresh_token }),
    ).resolves.toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('gets no access when the approval cannot be stored, and keeps waiting', async () => {
    await owner.query(`
      create function in_between() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$;
      create trigger in_between before insert on oauth_rows for each row when (new.model = 'Grant') execute function in_between()`);
    const { user_code, device_code } = await start();
    const browser = await lark.browser();
    expect((await decide(browser, user_code, 'approve')).status).toBe(500);
    await owner.query('drop trigger in_between on oauth_rows; drop function in_between');
    await expect(poll(device_code)).resolves.toMatchObject({ body: { error: 'authorization_pending' } });
    expect((await decide(browser, user_code, 'approve')).status).toBe(200);
  });

  it('gets no access after a person declines', async () => {
    const started = await start();
    await expect((await decide(await lark.browser(), started.user_code, 'decline')).text()).resolves.toContain(
      'Terminal not connected',
    );
    await expect(poll(started.device_code)).resolves.toMatchObject({ status: 400, body: { error: 'access_denied' } });
  });

  it('waits ten minutes', async () => {
    const started = await start();
    await owner.query(`update oauth_rows set expires_at = now() - interval '1 second',
      payload = payload || jsonb_build_object('exp', extract(epoch from now())::int - 1)
      where model = 'DeviceCode' and expires_at > now()`);
    await expect(poll(started.device_code)).resolves.toMatchObject({ status: 400, body: { error: 'expired_token' } });
    expect((await type(await lark.browser(), started.user_code)).status).toBe(404);
  });

  it('leaves no code in the database', async () => {
    const started = await start();
    const { rows } = await owner.query<{ row: string }>('select r::text as row from oauth_rows r');
    const everything = rows.map(({ row }) => row).join('\n');
    expect(everything).not.toContain(started.device_code);
    expect(everything).not.toContain(started.user_code.replace('-', ''));
  });

  it('is the only client of the device grant; products cannot use it', async () => {
    const product = await aProduct(server, lark);
    await expect(product.post('/oauth2/device_authorization', {})).resolves.toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    });
  });
});

describe('the device page', () => {
  it('requires a sign-in, and a new one if the last was long ago', async () => {
    const stranger = await fetch(`${server.url}/device`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect(stranger.headers.get('location')).toMatch(/^\/sign-in\?next=%2Fdevice$/);
    const stale = await lark.browser(lark.admin, { isFresh: false });
    expect((await stale.fetch('/device')).headers.get('location')).toBe('/confirm?next=/device');
    const started = await start();
    const fresh = await lark.browser();
    const page = await (await type(fresh, started.user_code)).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)![1];
    await owner.query(`update sessions set fresh_at = now() - interval '1 hour'`);
    const answer = await fresh.post('/device/decision', { csrf, code: started.user_code, decision: 'approve' });
    expect(answer.status).toBe(403);
  });

  it('ignores a code in the URL', async () => {
    const started = await start();
    const page = await (await (await lark.browser()).fetch(`/device?user_code=${started.user_code}`)).text();
    expect(page).not.toContain(started.user_code);
  });

  it('blocks guessing', async () => {
    const browser = await lark.browser(await lark.member());
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) statuses.push((await type(browser, `BCDFGHJ${'KLMNPQ'[guess]}`)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
  });

  it('rejects forms from other sites', async () => {
    const browser = await lark.browser();
    const answer = await browser.submit('/device', { code: 'BCDFGHJK' }, { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
  });
});

describe('the limits', () => {
  it('allow an address 60 terminals in 15 minutes', async () => {
    const answers = [];
    for (let round = 0; round < 7; round++)
      answers.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => post('/oauth2/device_authorization', { client_id })))),
      );
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    for (const spelling of ['/oauth2/device_authorization/', '/OAuth2/Device_Authorization'])
      await expect(post(spelling, { client_id })).resolves.toMatchObject({ status: 429 });
  });
});
