import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PausableTimeout } from './pausable-timeout.js';

let call: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  call = new AbortController();
});
afterEach(() => void vi.useRealTimers());

describe('a pausable timeout', () => {
  it('aborts when its time is up', () => {
    const timeout = new PausableTimeout(1000, call.signal);
    vi.advanceTimersByTime(999);
    expect(timeout.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(timeout.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('pauses while any answer is awaited, then continues with the remaining time', async () => {
    const timeout = new PausableTimeout(1000, call.signal);
    vi.advanceTimersByTime(600);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = [timeout.pauseWhile(() => first.promise), timeout.pauseWhile(() => second.promise)];
    vi.advanceTimersByTime(60_000);
    first.resolve();
    await waiting[0];
    vi.advanceTimersByTime(60_000);
    expect(timeout.signal.aborted).toBe(false);
    second.resolve();
    await waiting[1];
    vi.advanceTimersByTime(399);
    expect(timeout.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(timeout.signal.aborted).toBe(true);
  });

  it('aborts with the call', () => {
    const timeout = new PausableTimeout(1000, call.signal);
    call.abort(new Error('the caller has gone'));
    expect(timeout.signal.reason).toEqual(new Error('the caller has gone'));
  });

  it('does not abort after it has ended', async () => {
    const timeout = new PausableTimeout(1000, call.signal);
    await timeout.pauseWhile(async () => timeout.end());
    vi.advanceTimersByTime(10_000);
    call.abort();
    expect(timeout.signal.aborted).toBe(false);
  });
});
