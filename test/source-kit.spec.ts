import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HttpSimulator, type SimulatedReply } from '../examples/simulators/http-simulator.js';
import { NotSent, OutcomeUnknown, SourcePaused } from '../src/connections/connections.error.js';
import type { SourceQuota } from '../src/connections/knowledge-source.port.js';
import { SourceClient, type SourceClientOptions } from '../src/knowledge/source-kit/source-client.js';
import { requestGraphql } from '../src/knowledge/source-kit/source-graphql.js';
import type { ReadLimits } from '../src/knowledge/source-kit/source-limits.js';
import { retryAfterIn } from '../src/platform/http/retry-after.js';
import { pagesByLink } from '../src/knowledge/source-kit/source-pages.js';
import { SourceRequestError } from '../src/knowledge/source-kit/source-request.error.js';
import { toolOutcome } from '../src/knowledge/source-kit/tool-outcome.js';
import { localOutgoing } from './kit/local-outgoing.js';

const token = 'secret-token-of-the-source';
const outgoing = localOutgoing();
let http: HttpSimulator;
let reply: () => SimulatedReply;
const item = z.object({ id: z.number() });

beforeAll(async () => {
  http = await new HttpSimulator()
    .route('GET', '/api/one', () => reply())
    .route('POST', '/api/one', () => reply())
    .route('POST', '/api/graphql', () => reply())
    .route('GET', '/api/moved', () => ({ status: 301, headers: { location: '/api/one' } }))
    .route('GET', '/api/away', () => ({ status: 302, headers: { location: 'http://localhost:1/api/one' } }))
    .route('GET', '/api/around', () => ({ status: 302, headers: { location: '/api/around' } }))
    .route('GET', '/api/list', ({ query, origin }) => {
      const page = Number(query.get('page') ?? 1);
      const link = page < 3 ? { link: `<${origin}/api/list?page=${page + 1}>; rel="next"` } : undefined;
      return { body: [{ id: page }], headers: link };
    })
    .route('GET', '/api/endless', ({ origin }) => ({
      body: [{ id: 1 }],
      headers: { link: `<${origin}/api/endless>; rel="next"` },
    }))
    .route('GET', '/api/strange', () => ({ body: [], headers: { link: '<http://localhost:1/list>; rel="next"' } }))
    .start();
});
afterAll(async () => {
  await http.stop();
  await outgoing.onApplicationShutdown();
});
afterEach(() => {
  http.faults.clear();
  http.requests.length = 0;
});

const readLimits: ReadLimits = ({ status, headers, now }) => {
  const limit = headers.get('x-limit');
  return {
    retryAt: status === 429 ? retryAfterIn(headers, now) : undefined,
    quotas: limit
      ? [
          {
            limit: Number(limit),
            remaining: Number(headers.get('x-remaining')),
            resetAt: new Date(headers.get('x-reset')!),
          },
        ]
      : undefined,
  };
};
const client = (options: Partial<SourceClientOptions> = {}) =>
  new SourceClient({
    system: 'Example',
    baseUrl: `${http.url}/api`,
    outgoing,
    signal: AbortSignal.timeout(60_000),
    authorize: () => ({ authorization: `Bearer ${token}` }),
    readLimits,
    retryDelayMs: 1,
    ...options,
  });
const failure = (work: Promise<unknown>): Promise<SourceRequestError> =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(SourceRequestError);
      return error as SourceRequestError;
    },
  );
const one = () => client().get('/one', item);

describe('the client of a source', () => {
  beforeAll(() => void (reply = () => ({ body: { id: 7, other: true } })));

  it('sends the credential and validates the JSON', async () => {
    reply = () => ({ body: { id: 7, other: true } });
    expect(await client().get('/one', item, { q: 'a b', none: undefined })).toEqual({ id: 7 });
    expect(http.requests[0].headers.authorization).toBe(`Bearer ${token}`);
    expect(http.requests[0].query).toEqual({ q: 'a b' });
    reply = () => ({ body: { id: 'seven' } });
    expect((await failure(one())).message).toContain('id');
  });

  it.each([
    [{ kind: 'status', status: 502, times: 2 }],
    [{ kind: 'cut', times: 3 }],
    [{ kind: 'half', times: 1 }],
    [{ kind: 'html', times: 1 }],
  ] as const)('retries a read after %j', async (fault) => {
    reply = () => ({ body: { id: 7 } });
    http.faults.add(fault);
    expect(await one()).toEqual({ id: 7 });
    expect(http.requests).toHaveLength(fault.times + 1);
  });

  it('fails after four attempts', async () => {
    http.faults.add({ kind: 'status', status: 503 });
    expect(await failure(one())).toMatchObject({ fault: 'unavailable', status: 503 });
    expect(http.requests).toHaveLength(4);
  });

  it('does not retry a write that was sent', async () => {
    for (const fault of ['cut', 'html'] as const) {
      http.faults.add({ kind: fault, times: 1 });
      http.requests.length = 0;
      await failure(client().request({ method: 'POST', path: '/one', body: {}, schema: item }));
      expect(http.requests).toHaveLength(1);
    }
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'missing'],
    [410, 'missing'],
    [422, 'refused'],
  ] as const)('explains status %i without the credential', async (status, fault) => {
    reply = () => ({ status, body: { message: `no access for ${token}` } });
    const error = await failure(client().get(`/one?key=${token}`, item));
    expect(error).toMatchObject({ fault, status });
    expect(`${error.message} ${error.quote}`).not.toContain(token);
    expect(error.message).toContain('no access for …');
    expect(http.requests).toHaveLength(1);
  });

  it('redacts a password that the source repeats', async () => {
    const basic = Buffer.from('ada@example.com:password-of-ada').toString('base64');
    reply = () => ({ status: 401, body: { message: `wrong: password-of-ada, ${basic}` } });
    const authorize = () => ({ authorization: `Basic ${basic}` });
    const { message } = await failure(client({ authorize }).get('/one', item));
    expect(message).toContain('wrong: …, …');
    expect(message).not.toContain('password-of-ada');
    expect(message).not.toContain(basic);
  });

  it('sends requests only to its origin', async () => {
    reply = () => ({ body: { id: 7 } });
    expect(await client().request({ path: '/moved', schema: item })).toMatchObject({ body: { id: 7 }, isMoved: true });
    for (const path of ['/away', '/around', 'http://localhost:1/one', 'https://127.0.0.1/one'])
      expect(await failure(client().get(path, item))).toMatchObject({ fault: 'unreadable' });
  });

  it('supports conditional requests', async () => {
    reply = () => ({ status: 304 });
    const answer = await client().request({ path: '/one', schema: item, etag: '"a"' });
    expect(answer).toMatchObject({ isUnchanged: true });
    expect(http.requests[0].headers['if-none-match']).toBe('"a"');
  });

  it('stops waiting when the signal aborts', async () => {
    const stop = new AbortController();
    reply = () => ({ status: 429, headers: { 'retry-after': '50' } });
    const work = client({ signal: stop.signal }).get('/one', item);
    await expect.poll(() => http.requests.length).toBe(1);
    stop.abort();
    await expect(work).rejects.toThrow(/abort/i);
  });
});

describe('the client at a rate limit', () => {
  it('waits for the time that the source specifies', async () => {
    let count = 0;
    reply = () => (++count < 3 ? { status: 429, headers: { 'retry-after': '0.05' } } : { body: { id: 7 } });
    expect(await one()).toEqual({ id: 7 });
    expect(count).toBe(3);
  });

  it('pauses for a longer wait, and after repeated rejections', async () => {
    reply = () => ({ status: 429, headers: { 'retry-after': '61' } });
    const paused = await one().catch((error: unknown) => error);
    expect(paused).toBeInstanceOf(SourcePaused);
    const wait = (paused as SourcePaused).until.getTime() - Date.now();
    expect(wait).toBeGreaterThan(50_000);
    expect(wait).toBeLessThanOrEqual(61_000);
    expect(http.requests).toHaveLength(1);
    reply = () => ({ status: 429, headers: { 'retry-after': '0' } });
    await expect(one()).rejects.toBeInstanceOf(SourcePaused);
    expect(http.requests).toHaveLength(7);
  });

  it('leaves a share of the quota to other clients', async () => {
    const quotas: SourceQuota[] = [];
    let remaining = 12;
    const reset = new Date(Date.now() + 3_600_000);
    const headers = () => ({ 'x-limit': '50', 'x-remaining': String(--remaining), 'x-reset': reset.toISOString() });
    reply = () => ({ body: { id: 7 }, headers: headers() });
    const paced = client({ quota: (status) => void quotas.push(status) });
    await paced.get('/one', item);
    await paced.get('/one', item);
    await expect(paced.get('/one', item)).rejects.toMatchObject({ name: 'SourcePaused', until: reset });
    expect(quotas).toEqual([11, 10].map((left) => ({ limit: 50, remaining: left, resetAt: reset })));
    expect(http.requests).toHaveLength(2);
    expect(await client({ share: 1 }).get('/one', item)).toEqual({ id: 7 });
  });

  it('waits if the quota resets soon', async () => {
    const used = () => ({ 'x-limit': '10', 'x-remaining': '0', 'x-reset': new Date(Date.now() + 80).toISOString() });
    reply = () => ({ body: { id: 7 }, headers: used() });
    const paced = client();
    await paced.get('/one', item);
    const before = Date.now();
    await paced.get('/one', item);
    expect(Date.now() - before).toBeGreaterThanOrEqual(40);
  });
});

describe('paginated lists', () => {
  const pages = async (path: string, from?: string) => {
    const found: number[] = [];
    let next: string | null = null;
    for await (const page of pagesByLink(client(), { path, item, query: { per_page: 1 } }, from)) {
      found.push(...page.items.map(({ id }) => id));
      next ??= page.next;
    }
    return { found, next };
  };

  it('follow links from the first page or a later one', async () => {
    const { found, next } = await pages('/list');
    expect(found).toEqual([1, 2, 3]);
    expect((await pages('/list', next!)).found).toEqual([2, 3]);
  });

  it('reject links that repeat or lead to another server', async () => {
    for (const path of ['/endless', '/strange'])
      expect(await failure(pages(path))).toMatchObject({ fault: 'unreadable' });
  });
});

describe('GraphQL requests', () => {
  const query = () => requestGraphql(client(), { path: '/graphql', query: '{ node }', data: item });

  it('return the data', async () => {
    reply = () => ({ body: { data: { id: 7 } } });
    expect(await query()).toEqual({ id: 7 });
  });

  it('fail on errors with status 200, even with data', async () => {
    reply = () => ({ body: { data: { id: 7 }, errors: [{ type: 'FORBIDDEN', message: 'no' }] } });
    expect(await failure(query())).toMatchObject({ fault: 'refused', quote: '“no”' });
    reply = () => ({ body: { errors: [{ message: 'without data' }] } });
    expect(await failure(query())).toMatchObject({ fault: 'refused', quote: '“without data”' });
    reply = () => ({ body: { errors: [{ message: `no access for ${token}` }] } });
    const error = await failure(query());
    expect(error).toMatchObject({
      message: 'Example rejects the query: “no access for …”',
      quote: '“no access for …”',
    });
    reply = () => ({ body: { data: null } });
    expect(await failure(query())).toMatchObject({ fault: 'unreadable' });
  });
});

describe('the outcome of a tool', () => {
  const write = () =>
    toolOutcome(true, async () => {
      await client({ maxWaitMs: 0 }).request({ method: 'POST', path: '/one', body: {}, schema: item });
      return { content: [], isError: false, outside: true };
    });

  it('is an error result if the source rejects the request', async () => {
    reply = () => ({ status: 422, body: { message: 'title is missing' } });
    expect(await write()).toMatchObject({ isError: true, reason: expect.stringContaining('title is missing') });
  });

  it('distinguishes requests without effect from unknown outcomes', async () => {
    reply = () => ({ status: 429, headers: { 'retry-after': '5' } });
    await expect(write()).rejects.toBeInstanceOf(NotSent);
    http.faults.add({ kind: 'cut', times: 1 });
    await expect(write()).rejects.toBeInstanceOf(OutcomeUnknown);
    const stopped = await new HttpSimulator().start();
    const closed = client({ baseUrl: stopped.url });
    await stopped.stop();
    const send = async () => {
      await closed.request({ method: 'POST', path: '/one', body: {}, schema: item });
      return { content: [], isError: false, outside: true };
    };
    await expect(toolOutcome(true, send)).rejects.toBeInstanceOf(NotSent);
  });
});
