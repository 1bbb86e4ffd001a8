import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StandingConnection } from './standing-connection.js';

/** PostgreSQL accepts the sign-in and is ready for queries. */
const ready = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

let server: net.Server;
let sockets: net.Socket[];
let isOpen: boolean;
let isSilent: boolean;
let isHalfOpen: boolean;
let errors: string[];
let prepared: number;
let connection: StandingConnection;

beforeEach(async () => {
  [sockets, isOpen, isSilent, isHalfOpen, errors, prepared] = [[], true, false, false, [], 0];
  server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('end', () => isHalfOpen || socket.end());
    socket.on('error', () => undefined); // the test ends connections in any state
    if (isOpen) socket.once('data', () => isSilent || socket.write(ready));
    else socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = open(async () => void prepared++);
});
afterEach(async () => {
  await connection.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

function open(prepare: () => Promise<void>): StandingConnection {
  const { port } = server.address() as AddressInfo;
  const config = { host: '127.0.0.1', port, user: 'ada', database: 'acme' };
  return new StandingConnection({ config, prepare, onError: ({ message }) => void errors.push(message) });
}

it('makes one attempt at a time while the database refuses connections', async () => {
  await connection.open();
  isOpen = false;
  sockets[0].destroy();
  await expect.poll(() => sockets.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
  isOpen = true;
  await expect.poll(() => prepared, { timeout: 10_000 }).toBe(2);
  // a failed attempt starts only one other attempt
  const attempts = sockets.length;
  await after(1500);
  expect(sockets).toHaveLength(attempts);
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(1);
  expect(errors.length).toBeGreaterThanOrEqual(attempts - 2);
});

it('makes one attempt at a time if the preparation fails', async () => {
  let failures = 3;
  connection = open(async () => {
    prepared++;
    if (prepared > 1 && failures-- > 0) sockets.at(-1)!.destroy();
    if (prepared > 1 && failures >= 0) throw new Error('refused');
  });
  await connection.open();
  sockets[0].destroy();
  await expect.poll(() => prepared, { timeout: 10_000 }).toBe(5);
  await after(1500);
  expect(prepared).toBe(5);
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(1);
});

it('leaves no connection open if it is closed while it opens another one', async () => {
  const opening = Promise.withResolvers<void>();
  connection = open(async () => {
    prepared++;
    if (prepared > 1) await opening.promise;
  });
  await connection.open();
  sockets[0].destroy();
  await expect.poll(() => prepared, { timeout: 10_000 }).toBe(2);
  const closed = connection.close();
  opening.resolve();
  await closed;
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed)).toEqual([]);
});

it('does not wait for a database that accepts a connection and answers nothing', async () => {
  await connection.open();
  isSilent = true;
  sockets[0].destroy();
  await expect.poll(() => sockets.length, { timeout: 10_000 }).toBe(2);
  await connection.close();
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed)).toEqual([]);
});

it('does not wait for a database that does not even end the connection', async () => {
  await connection.open();
  [isSilent, isHalfOpen] = [true, true];
  sockets[0].destroy();
  await expect.poll(() => sockets.length, { timeout: 10_000 }).toBe(2);
  await connection.close();
});

it('makes another attempt if the database accepts a connection and answers nothing', async () => {
  await connection.open();
  isSilent = true;
  sockets[0].destroy();
  await expect.poll(() => sockets.length, { timeout: 10_000 }).toBe(2);
  isSilent = false;
  await expect.poll(() => prepared, { timeout: 20_000 }).toBe(2);
  expect(errors.at(-1)).toBe('timeout expired');
}, 40_000);

it('is not idle for a gateway, and notices within minutes that the other side is gone', async () => {
  const setKeepAlive = vi.spyOn(net.Socket.prototype, 'setKeepAlive');
  await connection.open();
  expect(setKeepAlive.mock.calls).toEqual([[true, 60_000]]);
  setKeepAlive.mockRestore();
});

it('opens no connection after it is closed', async () => {
  await connection.open();
  await connection.close();
  await after(1500);
  expect(sockets).toHaveLength(1);
});

it('throws if the first connection cannot be opened, and does not retry', async () => {
  isOpen = false;
  await expect(connection.open()).rejects.toThrow(/Connection terminated|ECONNRESET/);
  await after(1500);
  expect(sockets).toHaveLength(1);
});
