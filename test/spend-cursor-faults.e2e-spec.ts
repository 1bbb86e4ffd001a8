import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createServer } from 'node:http';
import { cursorEndpoints } from '../src/spend/cursor/endpoints.js';
import { VendorError } from '../src/spend/vendor.js';
import { CursorSyncFixture, collectPages } from './kit/cursor-sync-fixture.js';
import {
  FakeCursorVendor,
  eventsPage,
  memberKeyBody,
  notEnterpriseBody,
  respondWithError,
  rateLimitBody,
  invalidKeyBody,
} from './kit/fake-cursor-vendor.js';

const day = '2026-10-14';
const members = '/teams/members';
const events = '/teams/filtered-usage-events';

let cursor: FakeCursorVendor;
let connector: CursorSyncFixture;
beforeAll(async () => {
  cursor = await FakeCursorVendor.start();
});
afterAll(() => cursor.stop());
beforeEach(() => {
  cursor.reset();
  connector = new CursorSyncFixture(cursor.url, cursor.key);
});
afterEach(() => connector.close());

/** Once, without waiting. */
const tryMembers = (of = connector, context = of.context) => of.api.requestOnce(context, cursorEndpoints.members, {});
const pullMembers = (of = connector) => of.vendor.members(of.pull);
async function troubleOf(work: Promise<unknown>): Promise<VendorError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VendorError);
  const trouble = error as VendorError;
  expect(trouble.message.length).toBeGreaterThan(40);
  expect(JSON.stringify([trouble, trouble.message, trouble.stack, connector.logged])).not.toContain(cursor.key);
  return trouble;
}

describe('a refusal', () => {
  it.each([
    [401, invalidKeyBody, 'invalid_key'],
    [401, { statusCode: 401, ...invalidKeyBody }, 'invalid_key'],
    [401, '', 'invalid_key'],
    [401, memberKeyBody, 'not_team_admin_key'],
    [401, { code: 'error', message: 'Invalid Organization API Key' }, 'not_team_admin_key'],
    [401, notEnterpriseBody, 'plan_not_enterprise'],
    [403, { error: 'Forbidden', message: 'Enterprise access required' }, 'plan_not_enterprise'],
    [401, { code: 'error', message: 'Organization API key missing required scope: members:*' }, 'missing_scope'],
    [403, { code: 'error', message: 'Not authorized' }, 'missing_scope'],
    [403, { error: 'Forbidden' }, 'missing_scope'],
    [402, {}, 'plan_not_enterprise'],
    [400, { error: 'Bad Request', message: 'Some users are not in the team' }, 'unexpected_answer'],
    [404, { error: 'Not Found', message: 'Resource not found' }, 'unexpected_answer'],
    [204, '', 'unexpected_answer'],
    [200, invalidKeyBody, 'invalid_key'],
    [200, memberKeyBody, 'not_team_admin_key'],
  ])('with %i and %j means %s, and is not repeated', async (status, body, code) => {
    cursor.respond(members, respondWithError(status, body));
    expect(await troubleOf(pullMembers())).toMatchObject({ code, isTransient: false });
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it('in words that repeat the key does not show it', async () => {
    cursor.respond(members, respondWithError(400, { message: `unknown option for key ${cursor.key}` }));
    await troubleOf(pullMembers());
  });

  it.each([
    [undefined, 'no key'],
    ['', 'an empty key'],
    ['crsr_a:b', 'a key with a colon'],
    ['crsr_a\nb', 'a key of two lines'],
    ['ключ', 'a key in other letters'],
  ])('comes without a question for %j (%s)', async (key: string | undefined, _: string) => {
    const other = new CursorSyncFixture(cursor.url, key);
    expect(await troubleOf(pullMembers(other))).toMatchObject({ code: 'invalid_key' });
    expect(cursor.receivedRequests).toHaveLength(0);
    await other.close();
  });

  it('does not come for a key that was pasted with space around it', async () => {
    const other = new CursorSyncFixture(cursor.url, `  ${cursor.key}\n`);
    await expect(pullMembers(other)).resolves.toEqual([]);
    await other.close();
  });

  it('in the middle of a list breaks it off', async () => {
    cursor.respondInSequence(
      '/teams/daily-usage-data',
      () => ({
        data: [{ day, email: 'mira@lark.example' }],
        pagination: { totalUsers: 2, totalPages: 2, hasNextPage: true },
      }),
      respondWithError(401, invalidKeyBody),
    );
    expect(await troubleOf(collectPages(connector.vendor.usage(connector.pull, day, day)))).toMatchObject({
      code: 'invalid_key',
    });
  });
});

describe('what may pass', () => {
  it.each([
    ['429', respondWithError(429, rateLimitBody), 'rate_limited'],
    [
      '500',
      respondWithError(500, { error: 'Internal Server Error', message: 'An unexpected error occurred' }),
      'vendor_unavailable',
    ],
    ['a page of 502', respondWithError(502, '<html>Bad gateway</html>'), 'vendor_unavailable'],
    ['529', respondWithError(529, ''), 'vendor_unavailable'],
  ])('is tried again after %s, each time later', async (_, answer, code) => {
    cursor.respondInSequence(members, answer, answer, answer, () => ({ teamMembers: [] }));
    const started = Date.now();
    await expect(pullMembers()).resolves.toEqual([]);
    expect(connector.requests).toBe(4);
    expect(connector.waits.map((wait) => wait.code)).toEqual([code, code, code]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(5 + 10 + 20);
  });

  it.each([
    ['429', respondWithError(429, rateLimitBody), 'rate_limited'],
    ['503', respondWithError(503, ''), 'vendor_unavailable'],
  ])('is given up after five more attempts that end with %s', async (_, answer, code) => {
    cursor.respond(members, answer);
    expect(await troubleOf(pullMembers())).toMatchObject({ code, isTransient: true });
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('waits as long as the vendor asks for', async () => {
    cursor.respondInSequence(members, respondWithError(429, rateLimitBody, { 'retry-after': '1' }), () => ({
      teamMembers: [],
    }));
    const started = Date.now();
    await pullMembers();
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
    expect(cursor.receivedRequests).toHaveLength(2);
  });

  it('leaves an hour of waiting to whoever pulls, and asks nothing in between', async () => {
    cursor.respond(members, respondWithError(429, rateLimitBody, { 'retry-after': '3600' }));
    const { code, retryAfter } = await troubleOf(pullMembers());
    expect(code).toBe('rate_limited');
    expect(retryAfter!.getTime() - Date.now()).toBeGreaterThan(3_590_000);
    expect(cursor.receivedRequests).toHaveLength(1);
    const verification = await troubleOf(tryMembers());
    expect(verification.code).toBe('rate_limited');
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it('takes a date as well, and no nonsense', async () => {
    const in1s = new Date(Date.now() + 2000).toUTCString();
    cursor.respondInSequence(
      members,
      respondWithError(429, rateLimitBody, { 'retry-after': 'soon' }),
      respondWithError(503, '', { 'retry-after': '-5' }),
      respondWithError(503, '', { 'retry-after': in1s }),
      () => ({ teamMembers: [] }),
    );
    const started = Date.now();
    await pullMembers();
    expect(Date.now() - started).toBeGreaterThanOrEqual(900);
  });

  it('stops waiting when it is told to', async () => {
    cursor.respond(members, respondWithError(429, rateLimitBody, { 'retry-after': '2' }));
    setTimeout(() => connector.stop(new Error('told to')), 100);
    await expect(pullMembers()).rejects.toThrow('told to');
  });
});

describe('the limits of the vendor', () => {
  it('are kept to, with room for somebody who wants to verify', async () => {
    const quick = new CursorSyncFixture(cursor.url, cursor.key, { minuteMs: 4000 });
    const started = Date.now();
    for (let request = 0; request < 19; request++) await pullMembers(quick);
    expect(Date.now() - started).toBeGreaterThanOrEqual(3990);
    expect(quick.waits).toMatchObject([{ code: 'rate_limited' }]);
    await quick.close();
  });

  it('leave two requests of a minute free', async () => {
    for (let request = 0; request < 18; request++) await pullMembers();
    await tryMembers();
    await tryMembers();
    expect((await troubleOf(tryMembers())).code).toBe('rate_limited');
    expect(cursor.receivedRequests).toHaveLength(20);
  });

  it('are shared by connections with one key, and not by others', async () => {
    const { context } = connector;
    const another = { ...context, connection: { ...context.connection, id: 'another' } };
    for (let request = 0; request < 20; request++) await tryMembers(connector, request % 2 ? context : another);
    expect((await troubleOf(tryMembers(connector, another))).code).toBe('rate_limited');
    const other = { ...context, secret: () => 'crsr_other' };
    expect((await troubleOf(tryMembers(connector, other))).code).toBe('invalid_key');
  });
});

describe('an answer', () => {
  it.each([
    ['a page in HTML', '<!doctype html><title>Welcome</title>'],
    ['half of one', '{"teamMembers":[{"email":"mira@lark.ex'],
    ['a list', '[]'],
    ['null', 'null'],
    ['nothing', ''],
    ['another object', '{"members":[]}'],
    ['another type', '{"teamMembers":{"mira":1}}'],
    ['rows that name nobody', '{"teamMembers":[{"mail":"mira@lark.example"}]}'],
    ['nothing but brackets', '['.repeat(200_000)],
  ])('that is %s is not what was asked for', async (_, body) => {
    cursor.respond(members, (_asked, response) => void response.end(body));
    expect(await troubleOf(pullMembers())).toMatchObject({ code: 'unexpected_answer' });
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it.each(['/teams/daily-usage-data', events, '/teams/spend', '/analytics/by-user/mcp'])(
    'of %s needs its list',
    async (path) => {
      cursor.respond(path, () => ({ pagination: {}, data: 'none' }));
      const { vendor, pull } = connector;
      const pulls: Record<string, () => Promise<unknown>> = {
        '/teams/daily-usage-data': () => collectPages(vendor.usage(pull, day, day)),
        [events]: () => vendor.charges(pull, day),
        '/teams/spend': () => vendor.billingCycle!(pull),
        '/analytics/by-user/mcp': () => collectPages(vendor.mcpUsage!(pull, day, day)),
      };
      expect(await troubleOf(pulls[path]())).toMatchObject({ code: 'unexpected_answer' });
    },
  );

  it('of ten megabytes is not read to its end', async () => {
    cursor.respond(events, () => ({ ...eventsPage([], { page: 1, pageSize: 1000 }), padding: 'x'.repeat(10_000_000) }));
    expect(await troubleOf(connector.vendor.charges(connector.pull, day))).toMatchObject({ code: 'unexpected_answer' });
  });

  it('that leads elsewhere is not followed with the key', async () => {
    const paths: string[] = [];
    const elsewhere = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"teamMembers":[]}');
    }).listen(0);
    const { port } = elsewhere.address() as { port: number };
    cursor.respond(members, respondWithError(307, '', { location: `http://127.0.0.1:${port}/taken` }));
    expect(await troubleOf(pullMembers())).toMatchObject({ code: 'unexpected_answer' });
    expect(paths).toEqual([]);
    elsewhere.close();
  });

  it.each([
    ['never begins', () => undefined],
    ['never ends', (_: unknown, response: { write(text: string): unknown }) => void response.write('{"teamMembers":[')],
    [
      'drips',
      (_: unknown, response: { write(text: string): unknown; destroyed: boolean }) => {
        const drip = setInterval(() => (response.destroyed ? clearInterval(drip) : response.write(' ')), 50);
      },
    ],
  ])('that %s is waited for only so long', async (_, answer) => {
    cursor.respond(members, answer);
    const quick = new CursorSyncFixture(cursor.url, cursor.key, { answerMs: 200, wholeAnswerMs: 400, backOffMs: [1] });
    expect(await troubleOf(pullMembers(quick))).toMatchObject({ code: 'vendor_unavailable' });
    expect(cursor.receivedRequests).toHaveLength(2);
    await quick.close();
  });

  it('that breaks off is asked for again', async () => {
    cursor.respondInSequence(
      members,
      (_, response) => {
        response.write('{"teamMembers":[');
        response.socket?.destroy();
      },
      () => ({ teamMembers: [] }),
    );
    await expect(pullMembers()).resolves.toEqual([]);
    expect(connector.waits).toMatchObject([{ code: 'network' }]);
  });
});

describe('a vendor that is not there', () => {
  it.each([
    ['nobody listens', 'http://127.0.0.1:9'],
    ['the name is unknown', 'http://cursor.invalid'],
    ['the address is of the machine that runs it', 'http://169.254.169.254'],
  ])('because %s is named in words', async (_, url) => {
    const lost = new CursorSyncFixture(url, cursor.key, { backOffMs: [1] });
    expect(await troubleOf(pullMembers(lost))).toMatchObject({ code: 'network' });
    await lost.close();
  });
});

describe('a list without end', () => {
  const again = { hasNextPage: true };
  it.each([
    [events, { usageEvents: [{ timestamp: String(Date.parse(day)), chargedCents: 1, isChargeable: true }] }],
    ['/teams/spend', { teamMemberSpend: [{ overallSpendCents: 1 }], subscriptionCycleStart: 0 }],
    ['/teams/daily-usage-data', { data: [{ day, email: 'mira@lark.example' }] }],
    ['/analytics/by-user/mcp', { data: { 'mira@lark.example': [] } }],
  ])('of %s is broken off', async (path, page) => {
    cursor.respond(path, () => ({ ...page, pagination: again }));
    const { vendor, pull } = connector;
    const pulls: Record<string, () => Promise<unknown>> = {
      [events]: () => vendor.charges(pull, day),
      '/teams/spend': () => vendor.billingCycle!(pull),
      '/teams/daily-usage-data': () => collectPages(vendor.usage(pull, day, day)),
      '/analytics/by-user/mcp': () => collectPages(vendor.mcpUsage!(pull, day, day)),
    };
    await Promise.allSettled([pulls[path]()]);
    expect(cursor.receivedRequests.length).toBeLessThan(10);
  });
});
