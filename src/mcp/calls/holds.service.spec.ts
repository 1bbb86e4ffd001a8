import { describe, expect, it } from 'vitest';
import type { OwnCalls } from '../../gate/own-calls.service.js';
import type { Config } from '../../platform/config/config.js';
import type { Closing } from '../../platform/http/closing.service.js';
import type { ClientRequest } from './client-request.js';
import { Holds } from './holds.service.js';

const waited: number[] = [];
const within = (_principal: unknown, _id: string, ms: number) => Promise.resolve(waited.push(ms));
const holds = new Holds(
  { decidedWithin: within, settledWithin: within } as unknown as OwnCalls,
  { signal: new AbortController().signal } as Closing,
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

describe('the hold of a request that arrived a while ago', () => {
  it.each([
    [10_000, undefined, 5_000],
    [20_000, undefined, 0],
    [10_000, 'p', 35_000],
    [50_000, 'p', 0],
  ])('%i ms, progress token %s: lasts %i ms at most', async (agoMs, token, left) => {
    waited.length = 0;
    await holds.decision(request(agoMs, token), 'call', 'A person has to decide.');
    await holds.end(request(agoMs, token), 'call');
    expect(waited).toHaveLength(2);
    for (const ms of waited) {
      expect(ms).toBeLessThanOrEqual(left);
      expect(ms).toBeGreaterThanOrEqual(Math.max(0, left - 1000));
    }
  });
});
