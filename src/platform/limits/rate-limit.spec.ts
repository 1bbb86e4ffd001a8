import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RateLimit } from './rate-limit.js';

beforeEach(() => void vi.useFakeTimers({ now: 60_000_000 }));
afterEach(() => void vi.useRealTimers());

it('refuses a key above its limit until the window ends', () => {
  const rate = new RateLimit();
  vi.advanceTimersByTime(20_000);
  expect(rate.consume('a', 2)).toEqual({ isAllowed: true, remaining: 1, resetSeconds: 40 });
  expect(rate.secondsToWait('a', 2)).toBe(0);
  expect(rate.secondsToWait('a', 2)).toBe(40);
  expect(rate.secondsToWait('b', 2)).toBe(0);
  vi.advanceTimersByTime(40_000);
  expect(rate.secondsToWait('a', 2)).toBe(0);
});

it('lets the last amount exceed the limit and counts no refused amount', () => {
  const rate = new RateLimit();
  expect(rate.consume('a', 3, 5)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(rate.consume('a', 3)).toMatchObject({ isAllowed: false, remaining: 0 });
  expect(rate.unshared().amounts).toEqual([{ key: 'a', amount: 5 }]);
});

it('refuses further keys when it counts as many as it may', () => {
  const rate = new RateLimit({ windowMs: 1000, maxKeys: 2 });
  expect(['a', 'b', 'c', 'a'].map((key) => rate.secondsToWait(key, 9))).toEqual([0, 0, 1, 0]);
  vi.advanceTimersByTime(1000);
  expect(rate.secondsToWait('c', 9)).toBe(0);
});

it('includes the counts of other processes, and shares each amount once', () => {
  const rate = new RateLimit();
  rate.consume('a', 10, 2);
  const { window, amounts } = rate.unshared();
  rate.consume('a', 10); // while the total is written
  rate.recordShared(window, { ...amounts[0], total: 8 });
  expect(rate.consume('a', 10)).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(rate.consume('a', 10)).toMatchObject({ isAllowed: false });
  expect(rate.unshared().amounts).toEqual([{ key: 'a', amount: 2 }]);
});

it('ignores a total of an earlier window', () => {
  const rate = new RateLimit();
  rate.consume('a', 10);
  const { window } = rate.unshared();
  vi.advanceTimersByTime(60_000);
  rate.consume('a', 10);
  rate.recordShared(window, { key: 'a', amount: 1, total: 10 });
  expect(rate.consume('a', 10)).toMatchObject({ isAllowed: true, remaining: 8 });
});
