import { describe, expect, it } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { McpExchange, type ExchangeChannel } from '../../mcp-sessions/mcp-exchange.js';
import type { SessionEvent } from '../../mcp-sessions/session-event-store.service.js';
import type { StreamEvent } from '../../platform/http/sse.js';
import { ResumableStream } from './resumable-stream.js';
import type { RpcResponse } from './messages.js';

const id = '01234567-89ab-7def-8123-456789abcdef';
const result: RpcResponse = { jsonrpc: '2.0', id: 1, result: {} };
const progress = (n: number) => ({
  jsonrpc: '2.0' as const,
  method: 'notifications/progress',
  params: { progress: n },
});

const untilCancelled: ExchangeChannel['waitForResponse'] = (_, signal) =>
  new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** A stream whose writes complete when the test calls `write`. */
function aStream(answer: ExchangeChannel['waitForResponse'] = untilCancelled) {
  const batches: SessionEvent[][] = [];
  const sent: StreamEvent[] = [];
  const writing: PromiseWithResolvers<void>[] = [];
  let isOpen = true;
  const exchange = new McpExchange(id, {
    store: () => Promise.resolve(),
    waitForResponse: answer,
    withdraw: () => Promise.resolve(),
    release: () => undefined,
  });
  const reader = {
    send: (event: StreamEvent) => (sent.push(event), true),
    close: () => void (isOpen = false),
    get isOpen() {
      return isOpen;
    },
    onClose: () => undefined,
  };
  const stream = new ResumableStream(exchange, reader, (events) => {
    batches.push(events);
    writing.push(Promise.withResolvers());
    return writing.at(-1)!.promise;
  });
  /** Completes all writes, including those that start meanwhile. */
  const write = async () => {
    for (let done = 0; done < writing.length; done++) {
      writing[done].resolve();
      await turn();
    }
  };
  return { stream, batches, sent, writing, reader, write };
}

describe('a resumable stream', () => {
  it('sends no event before it is stored, and stores events that arrive meanwhile together and in order', async () => {
    const { stream, batches, sent, write } = aStream();
    void stream.notify(progress(1));
    void stream.notify(progress(2));
    const ended = stream.end(result);
    await turn();
    expect([batches.length, sent]).toEqual([1, []]);
    await write();
    await ended;
    expect(batches.map((events) => events.map(({ number, isLast }) => [number, isLast]))).toEqual([
      [[1, false]],
      [
        [2, false],
        [3, true],
      ],
    ]);
    expect(sent.map((event) => event.id)).toEqual([`${id}.1`, `${id}.2`, `${id}.3`]);
  });

  it('drops only progress notifications when there are too many', async () => {
    const { stream, batches, write, reader } = aStream();
    for (let n = 0; n < 5000; n++) void stream.notify(progress(n));
    const changed = { jsonrpc: '2.0' as const, method: 'notifications/tools/list_changed' };
    void stream.notify(changed);
    const ended = stream.end(result);
    await write();
    await ended;
    const stored = batches.flat();
    expect(stored.length).toBeLessThan(600);
    expect(stored.slice(-2).map(({ message }) => message)).toEqual([changed, result]);
    expect(stored.map(({ number }) => number)).toEqual(stored.map((_, nth) => nth + 1));
    expect(reader.isOpen).toBe(false);
  });

  it('cancels a question by the id that the client received', async () => {
    const { stream, sent, write } = aStream();
    void stream.ask({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' }, () => undefined);
    await turn();
    void stream.notify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 0, reason: 'enough' },
    });
    await write();
    expect(sent.map(({ data }) => JSON.parse(data) as object)).toMatchObject([
      { id: `${id}.1`, method: 'elicitation/create' },
      { method: 'notifications/cancelled', params: { requestId: `${id}.1`, reason: 'enough' } },
    ]);
  });

  it('returns an error to the server when the answer to its question could not be loaded', async () => {
    const { stream, write } = aStream(() => Promise.reject(new Error('no database')));
    const answers: RpcResponse[] = [];
    void stream.ask({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' }, (answer) => answers.push(answer));
    await turn();
    await write();
    expect(answers).toMatchObject([{ id: 0, error: { message: 'The client’s answer could not be loaded.' } }]);
  });

  it('closes without sending an event that could not be stored', async () => {
    const { stream, sent, writing, reader } = aStream();
    const notifying = stream.notify(progress(1));
    await turn();
    writing[0].reject(new Error('no database'));
    await expect(notifying).rejects.toThrow('no database');
    expect([reader.isOpen, sent]).toEqual([false, []]);
  });
});
