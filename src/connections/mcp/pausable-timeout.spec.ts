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
    const patience = new PausableTimeout(1000, call.signal);
    vi.advanceTimersByTime(999);
    expect(patience.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(patience.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('pauses while any answer is awaited, then continues with the remaining time', async () => {
    const patience = new PausableTimeout(1000, call.signal);
    vi.advanceTimersByTime(600);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = [patience.pauseWhile(() => first.promise), patience.pauseWhile(() => second.promise)];
    vi.advanceTimersByTime(60_000);
    first.resolve();
    await waiting[0];
    vi.advanceTimersByTime(60_000);
    expect(patience.signal.aborted).toBe(false);
    second.resolve();
    await waiting[1];
    vi.advanceTimersByTime(399);
    expect(patience.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(patience.signal.aborted).toBe(true);
  });

  it('aborts with the call', () => {
    const patience = new PausableTimeout(1000, call.signal);
    call.abort(new Error('the caller has gone'));
    expect(patience.signal.reason).toEqual(new Error('the caller has gone'));
  });

  it('does not abort after it has ended', async () => {
    const patience = new PausableTimeout(1000, call.signal);
    await patience.pauseWhile(async () => patience.end());
    vi.advanceTimersByTime(10_000);
    call.abort();
    expect(patience.signal.aborted).toBe(false);
  });
});
