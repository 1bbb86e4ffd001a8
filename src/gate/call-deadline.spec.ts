import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CallDeadline } from './call-deadline.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the clock of a call', () => {
  it('aborts the call when its time is over', async () => {
    const clock = new CallDeadline(100);
    await pass(99);
    expect(clock.signal.aborted).toBe(false);
    await pass(2);
    expect(clock.signal.reason).toMatchObject({ message: expect.stringContaining('in time') });
  });

  it('stands still as long as anybody waits', async () => {
    const clock = new CallDeadline(100);
    await pass(60);
    const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [clock.pauseWhile(() => one.promise), clock.pauseWhile(() => other.promise)];
    await pass(1000);
    one.resolve();
    await waits[0];
    await pass(1000);
    expect(clock.remainingMs).toBe(40);
    other.reject(new Error('nobody answers'));
    await expect(waits[1]).rejects.toThrow('nobody answers');
    await pass(39);
    expect(clock.signal.aborted).toBe(false);
    await pass(2);
    expect(clock.signal.aborted).toBe(true);
  });

  it('stops with the call, even where somebody still waits', async () => {
    const clock = new CallDeadline(100);
    const answer = Promise.withResolvers<void>();
    const wait = clock.pauseWhile(() => answer.promise);
    clock.end();
    answer.resolve();
    await wait;
    await pass(1000);
    expect(clock.signal.aborted).toBe(false);
  });

  it('ends with the going of whoever called, until the call is over', () => {
    const caller = new AbortController();
    const [over, under] = [new CallDeadline(100, caller.signal), new CallDeadline(100, caller.signal)];
    over.end();
    caller.abort(new Error('gone'));
    expect(over.signal.aborted).toBe(false);
    expect(under.signal.reason).toEqual(new Error('gone'));
    expect(new CallDeadline(100, caller.signal).signal.aborted).toBe(true);
  });

  it('can be stopped for another reason', () => {
    const clock = new CallDeadline(100);
    clock.abort(new Error('taken for lost'));
    expect(clock.signal.reason).toMatchObject({ message: 'taken for lost' });
  });
});
