import { describe, expect, it } from 'vitest';
import { readGithubLimits } from './github-limits.js';

const now = Date.parse('2026-11-20T10:00:00Z');
const reset = now / 1000 + 1800;
const read = (status: number, headers: Record<string, string>, body: unknown = {}, rejections = 0) => {
  const { retryAt, quotas } = readGithubLimits({ status, headers: new Headers(headers), body, rejections, now });
  return { wait: retryAt && (retryAt.getTime() - now) / 1000, remaining: quotas?.[0].remaining };
};
const quota = (remaining: number) => ({
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset),
});
const secondary = { message: 'You have exceeded a secondary rate limit.' };
const limited = { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] };

describe('GitHub rate limits', () => {
  it('are read from the headers of every response', () => {
    expect(read(200, quota(4999))).toEqual({ wait: undefined, remaining: 4999 });
    expect(read(200, {})).toEqual({ wait: undefined, remaining: undefined });
    expect(read(200, { ...quota(1), 'x-ratelimit-reset': 'soon' })).toEqual({ wait: undefined, remaining: undefined });
  });

  it('prefer retry-after to the reset', () => {
    expect(read(403, { ...quota(0), 'retry-after': '30' })).toEqual({ wait: 30, remaining: 0 });
    expect(read(429, quota(0))).toEqual({ wait: 1800, remaining: 0 });
    expect(read(403, quota(0))).toEqual({ wait: 1800, remaining: 0 });
    expect(read(200, quota(0), limited)).toEqual({ wait: 1800, remaining: 0 });
  });

  it('wait a minute, doubled with each rejection, for a secondary limit without a time', () => {
    expect([0, 1, 2].map((rejections) => read(403, quota(4000), secondary, rejections).wait)).toEqual([60, 120, 240]);
    expect(read(429, quota(4000)).wait).toBe(60);
    expect(read(200, quota(4000), limited).wait).toBe(60);
    expect(read(200, quota(4000), { errors: [secondary] }).wait).toBe(60);
  });

  it('are not confused with missing permissions', () => {
    expect(read(403, quota(4000), { message: 'Resource not accessible by integration' }).wait).toBeUndefined();
    expect(read(200, quota(4000), { errors: [{ type: 'FORBIDDEN', message: 'no' }, null] }).wait).toBeUndefined();
    expect(read(404, quota(4000)).wait).toBeUndefined();
    expect(read(200, {}, null).wait).toBeUndefined();
  });
});
