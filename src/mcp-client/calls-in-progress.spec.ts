import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProtocolError } from '@modelcontextprotocol/client';
import { UpstreamCall } from './upstream-call.js';
import { CallsInProgress } from './calls-in-progress.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call that was sent and ends on request. */
function aCall(calls: CallsInProgress, { isSent = true } = {}) {
  const upstreamCall = new UpstreamCall();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = calls
    .track(upstreamCall, () => {
      upstreamCall.isSent = isSent;
      return promise;
    })
    .catch(() => undefined);
  const answered = () => (resolve(), ended);
  const failed = (error: Error) => (reject(error), ended);
  return { upstreamCall, answered, failed };
}

describe('a server request outside the stream of a call', () => {
  it('belongs to the only call in progress', async () => {
    const calls = new CallsInProgress();
    expect(calls.onlyCall()).toBeUndefined();
    const one = aCall(calls);
    expect(calls.onlyCall()).toBe(one.upstreamCall);
    await one.answered();
    expect(calls.onlyCall()).toBeUndefined();
  });

  it('belongs to no call if several are in progress', async () => {
    const calls = new CallsInProgress();
    const [one, other] = [aCall(calls), aCall(calls)];
    expect(calls.onlyCall()).toBeUndefined();
    await other.answered();
    expect(calls.onlyCall()).toBe(one.upstreamCall);
  });

  it('may belong to an abandoned call for as long as a call can take', async () => {
    const calls = new CallsInProgress();
    await aCall(calls).failed(new Error('the caller went away'));
    const one = aCall(calls);
    expect(calls.onlyCall()).toBeUndefined();
    vi.advanceTimersByTime(5 * 60_000 + 1);
    expect(calls.onlyCall()).toBe(one.upstreamCall);
  });

  it('cannot belong to a call that the server rejected or never received', async () => {
    const calls = new CallsInProgress();
    await aCall(calls).failed(new ProtocolError(-32602, 'no'));
    await aCall(calls, { isSent: false }).failed(new Error('no connection'));
    const one = aCall(calls);
    expect(calls.onlyCall()).toBe(one.upstreamCall);
  });
});
