import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestWebSocketServer } from '../../../test/kit/web-socket-server.js';
import { Config } from '../config/config.js';
import { OutboundWebSocketClient, type WebSocketTarget } from './outbound-web-socket-client.service.js';

let server: TestWebSocketServer;
let received: string[];

beforeAll(async () => {
  server = await TestWebSocketServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  received = [];
  server.onConnection = () => undefined;
});

const clientFor = (allowed: string) => new OutboundWebSocketClient(Config.from({ ALLOW_PRIVATE_NETWORKS: allowed }));
const connect = (target: Partial<WebSocketTarget> = {}, allowed = '127.0.0.0/8') =>
  clientFor(allowed).connect({
    url: server.url,
    allowsPlain: true,
    signal: new AbortController().signal,
    maxMessageBytes: 1000,
    onMessage: (text) => received.push(text),
    ...target,
  });
const newest = () => server.sockets.at(-1)!;

it('sends and receives texts, and closes with a handshake', async () => {
  const socket = await connect();
  newest().send('Grüße');
  newest().send('x'.repeat(900));
  await expect.poll(() => received).toEqual(['Grüße', 'x'.repeat(900)]);
  socket.send('back');
  await expect.poll(() => newest().received).toEqual(['back']);
  socket.close();
  await socket.closed;
  await expect.poll(() => newest().closeCode).not.toBeNull();
  socket.send('after the end');
});

describe('the connection ends', () => {
  it('when the server closes it or vanishes', async () => {
    const closed = await connect();
    newest().close();
    await closed.closed;
    const cut = await connect();
    newest().cut();
    await cut.closed;
  });

  it('at a message that is too large', async () => {
    const socket = await connect();
    newest().send('x'.repeat(1001));
    await socket.closed;
    expect(received).toEqual([]);
  });

  it('when nothing arrives any more, not even answers to pings', async () => {
    await connect({ maxSilenceMs: 3000 });
    await expect.poll(() => newest().pingCount).toBeGreaterThan(4);
    expect(newest().isOpen).toBe(true);
    const socket = await connect({ maxSilenceMs: 300 });
    newest().isSilent = true;
    await socket.closed;
  });

  it('when the caller aborts, also while it is being opened', async () => {
    const abort = new AbortController();
    const socket = await connect({ signal: abort.signal });
    newest().isSilent = true;
    abort.abort();
    await socket.closed;
    await expect(connect({ signal: abort.signal })).rejects.toThrow('aborted');
  });
});

describe('no connection', () => {
  it.each([
    ['to a private address that the operator has not allowed', {}, 'private range'],
    ['to a name with such an address', { url: 'ws://localhost:9999' }, 'private range'],
    ['to a link-local address', { url: 'wss://169.254.169.254/' }, 'always blocked'],
    ['without TLS', { allowsPlain: false }, 'wss://'],
    ['with another protocol', { url: 'https://slack.com/' }, 'wss://'],
    ['with a password', { url: 'wss://user:password@slack.com/' }, 'user name'],
    ['to a reserved port', { url: 'wss://slack.com:25/' }, 'reserved'],
    ['to no address', { url: 'slack' }, 'not a complete URL'],
  ])('%s', async (_why, target, words) => {
    const before = server.sockets.length;
    await expect(connect(target, '')).rejects.toThrow(words);
    expect(server.sockets).toHaveLength(before);
  });

  it('after a redirect, or an answer that opens no WebSocket', async () => {
    for (const refusal of [
      `HTTP/1.1 302 Found\r\nlocation: ${server.url}\r\ncontent-length: 0\r\n\r\n`,
      'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: no\r\n\r\n',
    ]) {
      server.refusals.push(refusal);
      await expect(connect()).rejects.toThrow('did not open a WebSocket');
    }
  });

  it('to a port that is closed', async () => {
    const closed = await TestWebSocketServer.start();
    const { url } = closed;
    await closed.close();
    await expect(connect({ url })).rejects.toThrow('ECONNREFUSED');
  });
});
