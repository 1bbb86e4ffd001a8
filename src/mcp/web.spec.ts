import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import express, { type Response as HttpResponse } from 'express';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { clientDisconnectSignal, sendWeb } from './web.js';

let server: http.Server;
let handle: (response: HttpResponse) => Promise<void>;
let handled: Promise<void>;
beforeEach(async () => {
  const app = express();
  app.get('/', (_, response) => {
    handled = handle(response);
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});
const port = () => (server.address() as AddressInfo).port;

const stream = (chunks: AsyncIterable<string> | Iterable<string>) =>
  new Response(ReadableStream.from(chunks).pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream' },
  });

describe('sendWeb', () => {
  it('sends the status, headers and body unchanged', async () => {
    handle = (response) => sendWeb(Response.json({ a: 1 }, { status: 400, headers: { 'x-a': 'b' } }), response, 1000);
    const answer = await fetch(`http://127.0.0.1:${port()}`);
    expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([400, 'b', { a: 1 }]);
  });

  it('sends an answer without a body', async () => {
    handle = (response) => sendWeb(new Response(null, { status: 202 }), response, 1000);
    expect((await fetch(`http://127.0.0.1:${port()}`)).status).toBe(202);
  });

  it('sends a stream to its end', async () => {
    handle = (response) => sendWeb(stream(['data: 1\n\n', 'data: 2\n\n']), response, 1000);
    expect(await (await fetch(`http://127.0.0.1:${port()}`)).text()).toBe('data: 1\n\ndata: 2\n\n');
  });
});

describe('a client', () => {
  it('that reads nothing is disconnected, and its stream stops', async () => {
    let made = 0;
    async function* flood() {
      for (;;) {
        made++;
        yield 'x'.repeat(64 * 1024);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    handle = (response) => sendWeb(stream(flood()), response, 256 * 1024);
    const socket = net.connect(port(), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause().write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
    await once(server, 'request');
    await handled;
    const before = made;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(made).toBeLessThan(before + 3); // chunks already in the pipe
    socket.destroy();
  });

  it('that disconnects cancels its request', async () => {
    const gone = Promise.withResolvers<void>();
    handle = async (response) => {
      clientDisconnectSignal(response).addEventListener('abort', () => gone.resolve());
    };
    const disconnect = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port()}`, { signal: disconnect.signal });
    await once(server, 'request');
    disconnect.abort();
    await expect(answer).rejects.toThrow();
    await gone.promise;
  });

  it('that disconnected before the signal was created has cancelled its request', async () => {
    const seen = Promise.withResolvers<boolean>();
    handle = async (response) => {
      await once(response, 'close');
      seen.resolve(clientDisconnectSignal(response).aborted);
    };
    const disconnect = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port()}`, { signal: disconnect.signal });
    await once(server, 'request');
    disconnect.abort();
    await expect(answer).rejects.toThrow();
    expect(await seen.promise).toBe(true);
  });

  it('that disconnects after the full answer cancels nothing', async () => {
    let signal!: AbortSignal;
    handle = async (response) => {
      signal = clientDisconnectSignal(response);
      await sendWeb(Response.json({}), response, 1000);
    };
    await (await fetch(`http://127.0.0.1:${port()}`)).json();
    server.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(signal.aborted).toBe(false);
  });
});
