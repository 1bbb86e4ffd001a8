import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProtocolError } from '@modelcontextprotocol/client';
import { UpstreamCall } from './upstream-call.js';
import { CallsInProgress } from './calls-in-progress.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call that is sent, and ends when it is told to. */
function aCall(calls: CallsInProgress, { isSent = true } = {}) {
  const journey = new UpstreamCall();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = calls
    .track(journey, () => {
      journey.isSent = isSent;
      return promise;
    })
    .catch(() => undefined);
  const answered = () => (resolve(), ended);
  const failed = (error: Error) => (reject(error), ended);
  return { journey, answered, failed };
}

describe('a question that came on a line of its own', () => {
  it('means the only call that there is', async () => {
    const calls = new CallsInProgress();
    expect(calls.onlyCall()).toBeUndefined();
    const one = aCall(calls);
    expect(calls.onlyCall()).toBe(one.journey);
    await one.answered();
    expect(calls.onlyCall()).toBeUndefined();
  });

  it('means nobody’s where it could mean another one', async () => {
    const calls = new CallsInProgress();
    const [one, other] = [aCall(calls), aCall(calls)];
    expect(calls.onlyCall()).toBeUndefined();
    await other.answered();
    expect(calls.onlyCall()).toBe(one.journey);
  });

  it('may be one of a call that was given up, for as long as a call may take', async () => {
    const calls = new CallsInProgress();
    await aCall(calls).failed(new Error('the caller went away'));
    const one = aCall(calls);
    expect(calls.onlyCall()).toBeUndefined();
    vi.advanceTimersByTime(5 * 60_000 + 1);
    expect(calls.onlyCall()).toBe(one.journey);
  });

  it('is not one of a call that the server refused, or never got', async () => {
    const calls = new CallsInProgress();
    await aCall(calls).failed(new ProtocolError(-32602, 'no'));
    await aCall(calls, { isSent: false }).failed(new Error('no connection'));
    const one = aCall(calls);
    expect(calls.onlyCall()).toBe(one.journey);
  });
});
