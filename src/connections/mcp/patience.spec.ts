import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Patience } from './patience.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('patience', () => {
  it('ends when its time is up', () => {
    const patience = new Patience(1000);
    jest.advanceTimersByTime(999);
    expect(patience.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(patience.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('stands still while anybody is waited for, and goes on with what was left', async () => {
    const patience = new Patience(1000);
    jest.advanceTimersByTime(600);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = [patience.suspend(() => first.promise), patience.suspend(() => second.promise)];
    jest.advanceTimersByTime(60_000);
    first.resolve();
    await waiting[0];
    jest.advanceTimersByTime(60_000);
    expect(patience.signal.aborted).toBe(false);
    second.resolve();
    await waiting[1];
    jest.advanceTimersByTime(399);
    expect(patience.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(patience.signal.aborted).toBe(true);
  });

  it('does not end any more once nothing depends on it', async () => {
    const patience = new Patience(1000);
    await patience.suspend(async () => patience.end());
    jest.advanceTimersByTime(10_000);
    expect(patience.signal.aborted).toBe(false);
  });
});
