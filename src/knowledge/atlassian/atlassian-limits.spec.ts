import { describe, expect, it } from 'vitest';
import { errorTextIn, readAtlassianLimits } from './atlassian-limits.js';

const now = Date.parse('2026-11-28T10:00:00Z');
const read = (status: number, headers: Record<string, string>, rejections = 0) =>
  readAtlassianLimits({ status, headers: new Headers(headers), body: undefined, rejections, now });

describe('rate limits of Atlassian', () => {
  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': 'Sat, 28 Nov 2026 10:00:30 GMT' }, 30],
    [{ 'x-ratelimit-reset': '2026-11-28T11:00Z' }, 3600],
    [{ 'x-ratelimit-reset': String(now / 1000 + 12) }, 12],
  ])('set the retry time from %j', (headers, seconds) =>
    expect(read(429, headers).retryAt).toEqual(new Date(now + seconds * 1000)),
  );

  it.each([
    [{}, 0, 2],
    [{}, 2, 8],
    [{}, 9, 30],
    [{ 'x-ratelimit-reset': '1999-01-01T00:00Z' }, 0, 2],
    [{ 'retry-after': 'soon' }, 1, 4],
  ])('back off if %j contains no valid time, after %i rejections', (headers, rejections, most) => {
    const seconds = (read(429, headers, rejections).retryAt!.getTime() - now) / 1000;
    expect(seconds).toBeLessThanOrEqual(most);
    expect(seconds).toBeGreaterThanOrEqual(most * 0.7);
  });

  it('do not delay responses other than 429', () => {
    expect(read(200, { 'retry-after': '7' }).retryAt).toBeUndefined();
  });

  it.each([
    [
      { 'x-ratelimit-limit': '65000', 'x-ratelimit-remaining': '64000', 'x-ratelimit-reset': '2026-11-28T11:00Z' },
      [{ limit: 65_000, remaining: 64_000, resetAt: new Date(now + 3_600_000) }],
    ],
    [
      {
        'ratelimit-policy': '"global";q=65000;w=3600, "tenant";q=100',
        ratelimit: '"global";r=500;t=60, "tenant";r=9;t=5',
      },
      [
        { limit: 65_000, remaining: 500, resetAt: new Date(now + 60_000) },
        { limit: 100, remaining: 9, resetAt: new Date(now + 5000) },
      ],
    ],
    [
      {
        'x-ratelimit-limit': '500',
        'x-ratelimit-remaining': '475',
        'x-ratelimit-fillrate': '10',
        'x-ratelimit-interval-seconds': '60',
        'retry-after': '0',
      },
      [{ limit: 500, remaining: 475, resetAt: new Date(now + 180_000) }],
    ],
    [{ 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '475', 'x-ratelimit-fillrate': '0' }, []],
    [{ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '1' }, []],
    [{ ratelimit: '"global";r=500;t=60' }, []],
    [{ 'ratelimit-policy': ',;=,', ratelimit: ';;' }, []],
  ])('are read from %j', (headers, quotas) => expect(read(200, headers).quotas).toEqual(quotas));
});

it.each([
  [{ errorMessages: ['One.', 'Two.'], errors: {} }, 'One. Two.'],
  [{ errorMessages: [], errors: { summary: 'is required' } }, 'summary: is required'],
  [{ errors: [{ status: 404, title: 'Not Found', detail: 'No page' }] }, 'Not Found: No page'],
  [{ statusCode: 403, message: 'No access' }, 'No access'],
  ['<html>', undefined],
  [null, undefined],
  [{ errors: [null] }, undefined],
])('reads the message in the error %j', (body, text) => expect(errorTextIn(body)).toBe(text));
