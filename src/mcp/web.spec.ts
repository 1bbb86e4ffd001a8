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

describe('an answer', () => {
  it('is sent as it is', async () => {
    handle = (response) => sendWeb(Response.json({ a: 1 }, { status: 400, headers: { 'x-a': 'b' } }), response, 1000);
    const answer = await fetch(`http://127.0.0.1:${port()}`);
    expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([400, 'b', { a: 1 }]);
  });

  it('without a body is sent, too', async () => {
    handle = (response) => sendWeb(new Response(null, { status: 202 }), response, 1000);
    expect((await fetch(`http://127.0.0.1:${port()}`)).status).toBe(202);
  });

  it('that is a stream ends where it ends', async () => {
    handle = (response) => sendWeb(stream(['data: 1\n\n', 'data: 2\n\n']), response, 1000);
    expect(await (await fetch(`http://127.0.0.1:${port()}`)).text()).toBe('data: 1\n\ndata: 2\n\n');
  });
});

describe('a reader', () => {
  it('that reads nothing is let go, and what was made for it ends', async () => {
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
    expect(made).toBeLessThan(before + 3); // what was on its way
    socket.destroy();
  });

  it('that goes away takes its request back', async () => {
    const gone = Promise.withResolvers<void>();
    handle = async (response) => {
      clientDisconnectSignal(response).addEventListener('abort', () => gone.resolve());
    };
    const leaving = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port()}`, { signal: leaving.signal });
    await once(server, 'request');
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await gone.promise;
  });

  it('that was gone before anybody looked has taken it back, too', async () => {
    const seen = Promise.withResolvers<boolean>();
    handle = async (response) => {
      await once(response, 'close');
      seen.resolve(clientDisconnectSignal(response).aborted);
    };
    const leaving = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port()}`, { signal: leaving.signal });
    await once(server, 'request');
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await seen.promise).toBe(true);
  });

  it('that has its answer takes nothing back', async () => {
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
