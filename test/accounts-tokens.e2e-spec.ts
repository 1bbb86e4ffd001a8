import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { AuditLog } from '../src/audit/audit-log.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import type { AccountUpstream } from './kit/account-upstream.js';
import type { Browser } from './kit/browser.js';
import { Notes } from './kit/notes.js';
import type { PeoplesProvider } from './kit/peoples-provider.js';
import { type TestServer, testConfig } from './kit/server.js';

let server: TestServer;
let neighbour: RunningServer;
let upstream: AccountUpstream;
let provider: PeoplesProvider;
let database: pg.Pool;
let notes: Notes;
let bo: Member;
let browser: Browser;
beforeAll(async () => {
  notes = await Notes.start();
  ({ server, upstream } = notes);
  neighbour = await startServer(testConfig(server.databaseUrl, server.folder));
  database = new pg.Pool({ connectionString: server.databaseUrl, max: 1 });
  provider = upstream.provider;
  await notes.open();
  bo = await notes.member('Bo Member');
});
afterAll(async () => {
  await database.end();
  await neighbour.close();
  await notes.close();
});

beforeEach(async () => {
  upstream.behave();
  provider.behave();
  provider.accessTokenSeconds = 600;
  browser = await notes.connect(bo, 'bo over there');
  provider.asked.length = 0;
});

const renewals = () => provider.asked.filter((grant) => grant === 'refresh_token').length;
const own = 'whoami of bo over there';

describe('a token that the server does not take any more', () => {
  it('is renewed once for twenty calls on two processes', async () => {
    provider.forget('AccessToken');
    provider.fail({ delayMs: 200 });
    const there = notes.at({ ...server, app: neighbour.app });
    const calls = Array.from({ length: 10 }, () => [notes.ask(bo), there.ask(bo)]).flat();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([own]));
    expect(renewals()).toBe(1);
  });

  it('is renewed again when the new one ends, too', async () => {
    provider.forget('AccessToken');
    expect(await notes.ask(bo)).toBe(own);
    provider.forget('AccessToken');
    expect(await notes.ask(bo)).toBe(own);
    expect(renewals()).toBe(2);
  });

  it('is not waited for longer than its lease where the process that renews it was killed', async () => {
    provider.forget('AccessToken');
    await database.query(`update connection_accounts set renewing_until = now() + interval '1 second'`);
    expect(await notes.ask(bo)).toBe(own);
    expect(renewals()).toBe(1);
  });
});

describe('a token that is about to end', () => {
  beforeEach(async () => {
    provider.accessTokenSeconds = 10;
    browser = await notes.connect(bo, 'bo over there');
    provider.asked.length = 0;
  });

  it('is renewed before it is used', async () => {
    provider.accessTokenSeconds = 600;
    const before = upstream.visits.length;
    expect(await notes.ask(bo)).toBe(own);
    expect(await notes.ask(bo)).toBe(own);
    expect(renewals()).toBe(1);
    expect(upstream.visits.slice(before).every(({ sub }) => sub)).toBe(true);
  });

  it('is used as long as it lasts where the authorization server is down', async () => {
    provider.fail({ answer: (path, response) => path === '/token' && Boolean(response.writeHead(503).end()) });
    expect(await notes.ask(bo)).toBe(own);
  });
});

describe('an authorization server that is down', () => {
  it('is told about, and ends nothing', async () => {
    provider.forget('AccessToken');
    provider.fail({ answer: (path, response) => path === '/token' && Boolean(response.writeHead(503).end()) });
    expect(await notes.ask(bo)).toMatch(/^failed: .*could not be renewed.*tried again with the next call/);
    provider.behave();
    expect(await notes.ask(bo)).toBe(own);
  });
});

describe('an account that was revoked over there', () => {
  beforeEach(() => provider.forget('AccessToken', 'RefreshToken', 'Grant'));
  afterAll(async () => {
    await notes.connect(notes.admin, 'ada over there'); // its grant is gone, too, and its tools are listed with it
  });

  it('ends: its person is told where to connect it again', async () => {
    expect(await notes.call(bo)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(`invalid_grant.*${server.url}${notes.page}`),
    });
    expect(renewals()).toBe(1);
    expect(await notes.ask(bo)).toMatch(/^failed/);
    expect(renewals()).toBe(1);
    expect(await (await browser.fetch('/connections')).text()).toMatch(/not connected any more: .*invalid_grant/);
  });

  it('keeps no token, and stands in the audit log', async () => {
    await notes.ask(bo);
    const { rows } = await database.query('select sealed, ended_at from connection_accounts where member_id = $1', [
      bo.id,
    ]);
    expect(rows).toEqual([{ sealed: null, ended_at: expect.any(Date) }]);
    const { nodes } = await server.app
      .get(AuditLog)
      .list(await notes.person(notes.admin), { first: 1 }, { kind: 'account.ended' });
    expect(nodes[0]).toMatchObject({ subject: { id: notes.connectionId }, detail: { memberId: bo.id } });
  });

  it('works again once it is connected again', async () => {
    await notes.ask(bo);
    await notes.connect(bo, 'bo over there');
    expect(await notes.ask(bo)).toBe(own);
  });
});

describe('a server that takes no token at all', () => {
  it('is asked twice with what is new, and no more', async () => {
    await notes.ask(bo);
    upstream.visits.length = 0;
    upstream.fail({ answer: (response) => void response.writeHead(401).end() });
    expect(await notes.ask(bo)).toMatch(/^failed: .*does not take your account’s access/);
    expect(upstream.visits.filter(({ asked }) => asked === 'tools/call')).toHaveLength(2);
    expect(renewals()).toBe(1);
    upstream.behave();
    expect(await notes.ask(bo)).toBe(own);
  });
});

describe('a call that needs more than was granted', () => {
  it('says so; who connects again is asked for that besides, and the call works', async () => {
    expect(await notes.ask(bo, 'write_note')).toMatch(/^failed: .*wants more of your account.*\(notes:write\)/);
    expect(await (await browser.fetch(notes.page)).text()).toMatch(/The server wants besides.*notes:write/s);
    await notes.connect(bo, 'bo over there');
    expect(await notes.ask(bo, 'write_note')).toBe('write_note of bo over there');
    expect(await notes.ask(bo)).toBe(own);
  });
});
