import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallDeadline } from './call-deadline.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the deadline of a call', () => {
  it('aborts the call when its time limit is exceeded', async () => {
    const clock = new CallDeadline(100);
    await pass(99);
    expect(clock.signal.aborted).toBe(false);
    await pass(2);
    expect(clock.signal.reason).toMatchObject({ message: expect.stringContaining('in time') });
  });

  it('pauses while any wait is pending', async () => {
    const clock = new CallDeadline(100);
    await pass(60);
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [clock.pauseWhile(() => one.promise), clock.pauseWhile(() => other.promise)];
    await pass(1000);
    one.resolve();
    await waits[0];
    await pass(1000);
    expect(clock.remainingMs).toBe(40);
    other.reject(new Error('no answer'));
    await expect(waits[1]).rejects.toThrow('no answer');
    await pass(39);
    expect(clock.signal.aborted).toBe(false);
    await pass(2);
    expect(clock.signal.aborted).toBe(true);
  });

  it('counts the time of concurrent waits once', async () => {
    const clock = new CallDeadline(100);
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = clock.pauseWhile(() => one.promise);
    await pass(10);
    const second = clock.pauseWhile(() => other.promise);
    await pass(10);
    expect(clock.pausedMs).toBe(20);
    one.resolve();
    other.resolve();
    await Promise.all([first, second]);
    await pass(10);
    expect(clock.pausedMs).toBe(20);
    await clock.pauseWhile(() => pass(5));
    expect(clock.pausedMs).toBe(25);
  });

  it('stops with the call, even if a wait is still pending', async () => {
    const clock = new CallDeadline(100);
    const answer = Promise.withResolvers<void>();
    const wait = clock.pauseWhile(() => answer.promise);
    clock.end();
    answer.resolve();
    await wait;
    await pass(1000);
    expect(clock.signal.aborted).toBe(false);
  });

  it('aborts when the caller disconnects, unless the call has ended', () => {
    const caller = new AbortController();
    const [over, under] = [new CallDeadline(100, caller.signal), new CallDeadline(100, caller.signal)];
    over.end();
    caller.abort(new Error('gone'));
    expect(over.signal.aborted).toBe(false);
    expect(under.signal.reason).toEqual(new Error('gone'));
    expect(new CallDeadline(100, caller.signal).signal.aborted).toBe(true);
  });

  it('can be aborted for another reason', () => {
    const clock = new CallDeadline(100);
    clock.abort(new Error('declared lost'));
    expect(clock.signal.reason).toMatchObject({ message: 'declared lost' });
  });
});
