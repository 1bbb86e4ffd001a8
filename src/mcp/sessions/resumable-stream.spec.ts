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

const untilCalledOff: ExchangeChannel['waitForResponse'] = (_, signal) =>
  new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** A stream whose events are written down when the test says so. */
function aStream(answer: ExchangeChannel['waitForResponse'] = untilCalledOff) {
  const batches: SessionEvent[][] = [];
  const told: StreamEvent[] = [];
  const writing: PromiseWithResolvers<void>[] = [];
  let isOpen = true;
  const exchange = new McpExchange(id, {
    store: () => Promise.resolve(),
    waitForResponse: answer,
    withdraw: () => Promise.resolve(),
    release: () => undefined,
  });
  const reader = {
    send: (event: StreamEvent) => (told.push(event), true),
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
  /** Writes whatever is to be written, until there is nothing more. */
  const write = async () => {
    for (let done = 0; done < writing.length; done++) {
      writing[done].resolve();
      await turn();
    }
  };
  return { stream, batches, told, writing, reader, write };
}

describe('a kept stream', () => {
  it('tells nothing before it is written down, and what comes meanwhile together, in order', async () => {
    const { stream, batches, told, write } = aStream();
    void stream.notify(progress(1));
    void stream.notify(progress(2));
    const ended = stream.end(result);
    await turn();
    expect([batches.length, told]).toEqual([1, []]);
    await write();
    await ended;
    expect(batches.map((events) => events.map(({ number, isLast }) => [number, isLast]))).toEqual([
      [[1, false]],
      [
        [2, false],
        [3, true],
      ],
    ]);
    expect(told.map((event) => event.id)).toEqual([`${id}.1`, `${id}.2`, `${id}.3`]);
  });

  it('loses of a flood what may be lost, and nothing else', async () => {
    const { stream, batches, write, reader } = aStream();
    for (let n = 0; n < 5000; n++) void stream.notify(progress(n));
    const changed = { jsonrpc: '2.0' as const, method: 'notifications/tools/list_changed' };
    void stream.notify(changed);
    const ended = stream.end(result);
    await write();
    await ended;
    const kept = batches.flat();
    expect(kept.length).toBeLessThan(600);
    expect(kept.slice(-2).map(({ message }) => message)).toEqual([changed, result]);
    expect(kept.map(({ number }) => number)).toEqual(kept.map((_, nth) => nth + 1));
    expect(reader.isOpen).toBe(false);
  });

  it('says which of its questions is called off in the words that it was asked in', async () => {
    const { stream, told, write } = aStream();
    void stream.ask({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' }, () => undefined);
    await turn();
    void stream.notify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 0, reason: 'enough' },
    });
    await write();
    expect(told.map(({ data }) => JSON.parse(data) as object)).toMatchObject([
      { id: `${id}.1`, method: 'elicitation/create' },
      { method: 'notifications/cancelled', params: { requestId: `${id}.1`, reason: 'enough' } },
    ]);
  });

  it('tells the server when the answer to its question could not be read', async () => {
    const { stream, write } = aStream(() => Promise.reject(new Error('no database')));
    const answered: RpcResponse[] = [];
    void stream.ask({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' }, (answer) => answered.push(answer));
    await turn();
    await write();
    expect(answered).toMatchObject([{ id: 0, error: { message: 'The answer could not be read.' } }]);
  });

  it('closes, without telling it, where something could not be written down', async () => {
    const { stream, told, writing, reader } = aStream();
    const telling = stream.notify(progress(1));
    await turn();
    writing[0].reject(new Error('no database'));
    await expect(telling).rejects.toThrow('no database');
    expect([reader.isOpen, told]).toEqual([false, []]);
  });
});
