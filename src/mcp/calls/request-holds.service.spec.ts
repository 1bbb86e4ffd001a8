import { describe, expect, it } from 'vitest';
import type { OwnCallsService } from '../../gate/own-calls.service.js';
import type { Config } from '../../platform/config/config.js';
import type { ShutdownService } from '../../platform/http/shutdown.service.js';
import type { ClientRequest } from './client-request.js';
import { RequestHoldsService } from './request-holds.service.js';

const waited: number[] = [];
const wait = (_principal: unknown, _id: string, ms: number) => Promise.resolve(waited.push(ms));
const holds = new RequestHoldsService(
  { waitUntilDecided: wait, waitUntilSettled: wait } as unknown as OwnCallsService,
  { signal: new AbortController().signal } as ShutdownService,
  { hold: { ms: 15_000, withProgressMs: 45_000, progressMs: 15_000 } } as Config,
);
const request = (agoMs: number, progressToken?: string): ClientRequest => ({
  caller: {} as ClientRequest['caller'],
  ctx: {
    mcpReq: { _meta: { progressToken }, signal: new AbortController().signal, notify: () => Promise.resolve() },
  } as unknown as ClientRequest['ctx'],
  call: {} as ClientRequest['call'],
  arrivedAt: performance.now() - agoMs,
});

describe('the hold of a request', () => {
  it.each([
    [10_000, undefined, 5_000],
    [20_000, undefined, 0],
    [10_000, 'p', 35_000],
    [50_000, 'p', 0],
  ])('that arrived %i ms ago with progress token %s lasts at most %i ms', async (agoMs, token, left) => {
    waited.length = 0;
    await holds.untilDecided(request(agoMs, token), 'call', 'A person must approve it.');
    await holds.untilSettled(request(agoMs, token), 'call');
    expect(waited).toHaveLength(2);
    for (const ms of waited) {
      expect(ms).toBeLessThanOrEqual(left);
      expect(ms).toBeGreaterThanOrEqual(Math.max(0, left - 1000));
    }
  });
});
