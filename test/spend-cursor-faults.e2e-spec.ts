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

/** One attempt without waiting. */
const fetchMembersOnce = (of = connector, context = of.context) =>
  of.api.requestOnce(context, cursorEndpoints.members, {});
const fetchMembers = (of = connector) => of.vendor.members(of.pull);
async function vendorErrorOf(work: Promise<unknown>): Promise<VendorError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VendorError);
  const failure = error as VendorError;
  expect(failure.message.length).toBeGreaterThan(40);
  expect(JSON.stringify([failure, failure.message, failure.stack, connector.log.lines])).not.toContain(cursor.key);
  return failure;
}

describe('an error response', () => {
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
  ])('with status %i and body %j is reported as %s without a retry', async (status, body, code) => {
    cursor.respond(members, respondWithError(status, body));
    expect(await vendorErrorOf(fetchMembers())).toMatchObject({ code, isTransient: false });
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it('that echoes the key does not reveal it', async () => {
    cursor.respond(members, respondWithError(400, { message: `unknown option for key ${cursor.key}` }));
    await vendorErrorOf(fetchMembers());
  });

  it.each([
    [undefined, 'no key'],
    ['', 'an empty key'],
    ['crsr_a:b', 'a key with a colon'],
    ['crsr_a\nb', 'a key with a line break'],
    ['ключ', 'a key with non-ASCII letters'],
  ])('is reported without a request for the key %j (%s)', async (key: string | undefined, _: string) => {
    const other = new CursorSyncFixture(cursor.url, key);
    expect(await vendorErrorOf(fetchMembers(other))).toMatchObject({ code: 'invalid_key' });
    expect(cursor.receivedRequests).toHaveLength(0);
    await other.close();
  });

  it('is not reported for a valid key with surrounding whitespace', async () => {
    const other = new CursorSyncFixture(cursor.url, `  ${cursor.key}\n`);
    await expect(fetchMembers(other)).resolves.toEqual([]);
    await other.close();
  });

  it('in the middle of a list aborts the list', async () => {
    cursor.respondInSequence(
      '/teams/daily-usage-data',
      () => ({
        data: [{ day, email: 'mira@lark.example' }],
        pagination: { totalUsers: 2, totalPages: 2, hasNextPage: true },
      }),
      respondWithError(401, invalidKeyBody),
    );
    expect(await vendorErrorOf(collectPages(connector.vendor.usage(connector.pull, day, day)))).toMatchObject({
      code: 'invalid_key',
    });
  });
});

describe('a transient error', () => {
  it.each([
    ['429', respondWithError(429, rateLimitBody), 'rate_limited'],
    [
      '500',
      respondWithError(500, { error: 'Internal Server Error', message: 'An unexpected error occurred' }),
      'vendor_unavailable',
    ],
    ['a 502 page', respondWithError(502, '<html>Bad gateway</html>'), 'vendor_unavailable'],
    ['529', respondWithError(529, ''), 'vendor_unavailable'],
  ])('such as %s is retried with increasing delays', async (_, answer, code) => {
    cursor.respondInSequence(members, answer, answer, answer, () => ({ teamMembers: [] }));
    const started = Date.now();
    await expect(fetchMembers()).resolves.toEqual([]);
    expect(connector.requests).toBe(4);
    expect(connector.waits.map((wait) => wait.code)).toEqual([code, code, code]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(5 + 10 + 20);
  });

  it.each([
    ['429', respondWithError(429, rateLimitBody), 'rate_limited'],
    ['503', respondWithError(503, ''), 'vendor_unavailable'],
  ])('such as %s fails the request after five retries', async (_, answer, code) => {
    cursor.respond(members, answer);
    expect(await vendorErrorOf(fetchMembers())).toMatchObject({ code, isTransient: true });
    expect(cursor.receivedRequests).toHaveLength(6);
  });

  it('is retried after the delay that the vendor requests', async () => {
    cursor.respondInSequence(members, respondWithError(429, rateLimitBody, { 'retry-after': '1' }), () => ({
      teamMembers: [],
    }));
    const started = Date.now();
    await fetchMembers();
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
    expect(cursor.receivedRequests).toHaveLength(2);
  });

  it('fails the request if the vendor requests an hour of waiting, and blocks further requests', async () => {
    cursor.respond(members, respondWithError(429, rateLimitBody, { 'retry-after': '3600' }));
    const { code, retryAfter } = await vendorErrorOf(fetchMembers());
    expect(code).toBe('rate_limited');
    expect(retryAfter!.getTime() - Date.now()).toBeGreaterThan(3_590_000);
    expect(cursor.receivedRequests).toHaveLength(1);
    const verification = await vendorErrorOf(fetchMembersOnce());
    expect(verification.code).toBe('rate_limited');
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it('is retried after a date in Retry-After, and ignores invalid values', async () => {
    const in1s = new Date(Date.now() + 2000).toUTCString();
    cursor.respondInSequence(
      members,
      respondWithError(429, rateLimitBody, { 'retry-after': 'soon' }),
      respondWithError(503, '', { 'retry-after': '-5' }),
      respondWithError(503, '', { 'retry-after': in1s }),
      () => ({ teamMembers: [] }),
    );
    const started = Date.now();
    await fetchMembers();
    expect(Date.now() - started).toBeGreaterThanOrEqual(900);
  });

  it('is not waited for after an abort', async () => {
    cursor.respond(members, respondWithError(429, rateLimitBody, { 'retry-after': '2' }));
    setTimeout(() => connector.stop(new Error('stopped')), 100);
    await expect(fetchMembers()).rejects.toThrow('stopped');
  });
});

describe('the rate limit', () => {
  it('delays requests of a sync before the vendor rejects them', async () => {
    const quick = new CursorSyncFixture(cursor.url, cursor.key, { minuteMs: 4000 });
    const started = Date.now();
    for (let request = 0; request < 19; request++) await fetchMembers(quick);
    expect(Date.now() - started).toBeGreaterThanOrEqual(3990);
    expect(quick.waits).toMatchObject([{ code: 'rate_limited' }]);
    await quick.close();
  });

  it('reserves two requests per minute for verification', async () => {
    for (let request = 0; request < 18; request++) await fetchMembers();
    await fetchMembersOnce();
    await fetchMembersOnce();
    expect((await vendorErrorOf(fetchMembersOnce())).code).toBe('rate_limited');
    expect(cursor.receivedRequests).toHaveLength(20);
  });

  it('is shared by connections with the same key only', async () => {
    const { context } = connector;
    const another = { ...context, connection: { ...context.connection, id: 'another' } };
    for (let request = 0; request < 20; request++) await fetchMembersOnce(connector, request % 2 ? context : another);
    expect((await vendorErrorOf(fetchMembersOnce(connector, another))).code).toBe('rate_limited');
    const other = { ...context, secret: () => 'crsr_other' };
    expect((await vendorErrorOf(fetchMembersOnce(connector, other))).code).toBe('invalid_key');
  });
});

describe('a response', () => {
  it.each([
    ['an HTML page', '<!doctype html><title>Welcome</title>'],
    ['truncated JSON', '{"teamMembers":[{"email":"mira@lark.ex'],
    ['a list', '[]'],
    ['null', 'null'],
    ['an empty body', ''],
    ['another object', '{"members":[]}'],
    ['an object instead of a list', '{"teamMembers":{"mira":1}}'],
    ['rows without users', '{"teamMembers":[{"mail":"mira@lark.example"}]}'],
    ['deeply nested brackets', '['.repeat(200_000)],
  ])('with %s is unexpected', async (_, body) => {
    cursor.respond(members, (_request, response) => void response.end(body));
    expect(await vendorErrorOf(fetchMembers())).toMatchObject({ code: 'unexpected_answer' });
    expect(cursor.receivedRequests).toHaveLength(1);
  });

  it.each(['/teams/daily-usage-data', events, '/teams/spend', '/analytics/by-user/mcp'])(
    'of %s must contain its list',
    async (path) => {
      cursor.respond(path, () => ({ pagination: {}, data: 'none' }));
      const { vendor, pull } = connector;
      const requests: Record<string, () => Promise<unknown>> = {
        '/teams/daily-usage-data': () => collectPages(vendor.usage(pull, day, day)),
        [events]: () => vendor.charges(pull, day),
        '/teams/spend': () => vendor.billingCycle!(pull),
        '/analytics/by-user/mcp': () => collectPages(vendor.mcpUsage!(pull, day, day)),
      };
      expect(await vendorErrorOf(requests[path]())).toMatchObject({ code: 'unexpected_answer' });
    },
  );

  it('of ten megabytes is rejected', async () => {
    cursor.respond(events, () => ({ ...eventsPage([], { page: 1, pageSize: 1000 }), padding: 'x'.repeat(10_000_000) }));
    expect(await vendorErrorOf(connector.vendor.charges(connector.pull, day))).toMatchObject({
      code: 'unexpected_answer',
    });
  });

  it('that redirects is not followed with the key', async () => {
    const paths: string[] = [];
    const elsewhere = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"teamMembers":[]}');
    }).listen(0);
    const { port } = elsewhere.address() as { port: number };
    cursor.respond(members, respondWithError(307, '', { location: `http://127.0.0.1:${port}/taken` }));
    expect(await vendorErrorOf(fetchMembers())).toMatchObject({ code: 'unexpected_answer' });
    expect(paths).toEqual([]);
    elsewhere.close();
  });

  it.each([
    ['never starts', () => undefined],
    ['never ends', (_: unknown, response: { write(text: string): unknown }) => void response.write('{"teamMembers":[')],
    [
      'is sent very slowly',
      (_: unknown, response: { write(text: string): unknown; destroyed: boolean }) => {
        const drip = setInterval(() => (response.destroyed ? clearInterval(drip) : response.write(' ')), 50);
      },
    ],
  ])('that %s times out', async (_, answer) => {
    cursor.respond(members, answer);
    const quick = new CursorSyncFixture(cursor.url, cursor.key, { answerMs: 200, wholeAnswerMs: 400, backOffMs: [1] });
    expect(await vendorErrorOf(fetchMembers(quick))).toMatchObject({ code: 'vendor_unavailable' });
    expect(cursor.receivedRequests).toHaveLength(2);
    await quick.close();
  });

  it('that ends prematurely is requested again', async () => {
    cursor.respondInSequence(
      members,
      (_, response) => {
        response.write('{"teamMembers":[');
        response.socket?.destroy();
      },
      () => ({ teamMembers: [] }),
    );
    await expect(fetchMembers()).resolves.toEqual([]);
    expect(connector.waits).toMatchObject([{ code: 'network' }]);
  });
});

describe('an unreachable vendor', () => {
  it.each([
    ['the port is closed', 'http://127.0.0.1:9'],
    ['the host name is unknown', 'http://cursor.invalid'],
    ['the address is link-local', 'http://169.254.169.254'],
  ])('is reported as a network error if %s', async (_, url) => {
    const lost = new CursorSyncFixture(url, cursor.key, { backOffMs: [1] });
    expect(await vendorErrorOf(fetchMembers(lost))).toMatchObject({ code: 'network' });
    await lost.close();
  });
});

describe('an endless list', () => {
  const again = { hasNextPage: true };
  it.each([
    [events, { usageEvents: [{ timestamp: String(Date.parse(day)), chargedCents: 1, isChargeable: true }] }],
    ['/teams/spend', { teamMemberSpend: [{ overallSpendCents: 1 }], subscriptionCycleStart: 0 }],
    ['/teams/daily-usage-data', { data: [{ day, email: 'mira@lark.example' }] }],
    ['/analytics/by-user/mcp', { data: { 'mira@lark.example': [] } }],
  ])('from %s is aborted', async (path, page) => {
    cursor.respond(path, () => ({ ...page, pagination: again }));
    const { vendor, pull } = connector;
    const requests: Record<string, () => Promise<unknown>> = {
      [events]: () => vendor.charges(pull, day),
      '/teams/spend': () => vendor.billingCycle!(pull),
      '/teams/daily-usage-data': () => collectPages(vendor.usage(pull, day, day)),
      '/analytics/by-user/mcp': () => collectPages(vendor.mcpUsage!(pull, day, day)),
    };
    await Promise.allSettled([requests[path]()]);
    expect(cursor.receivedRequests.length).toBeLessThan(10);
  });
});
