import { StreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
import type { ChildProcess } from 'node:child_process';
import { connect as http2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as rest } from 'node:timers/promises';
import { type GrpcPlace, rpcs } from './a2a-grpc.ts';
import { resident } from './resident.ts';

/*
 * Many readers of one task, which is held until all of them listen. Measures the memory that they take, and the time
 * from the timestamp of the task's end until the last reader has received it. The readers are plain sockets: with
 * thousands of real clients, decoding would take longer than the delivery.
 */

export interface Held {
  /** JSON-RPC */
  url: string;
  headers: Record<string, string>;
  grpc: GrpcPlace;
  tenant: string;
  process: ChildProcess;
}
export interface Heard {
  megabytes: number;
  /** Milliseconds until a reader received the end, sorted. */
  taken: number[];
}
interface LastMessage {
  at: number;
  text: string;
}
interface Reader {
  /** The last message, after the stream has ended. */
  ended: Promise<LastMessage>;
}
interface Transport {
  open(taskId: string): Promise<Reader>;
  close(): void;
}

const settleMs = 5000;
const readersPerConnection = 40;

export async function hear(held: Held, binding: 'JSON-RPC' | 'gRPC', count: number): Promise<Heard> {
  const transport = binding === 'gRPC' ? overGrpc(held, count) : overHttp(held);
  try {
    await round(held, transport, 100); // warm-up: modules that load with the first reader do not count
    return await round(held, transport, count);
  } finally {
    transport.close();
  }
}

async function round(held: Held, transport: Transport, count: number): Promise<Heard> {
  const taskId = await heldTask(held);
  await rest(settleMs);
  const before = await resident(held.process);
  const readers: Reader[] = [];
  for (let opened = 0; opened < count; opened += 20)
    readers.push(...(await Promise.all(Array.from({ length: 20 }, () => transport.open(taskId)))));
  await rest(settleMs);
  const megabytes = (await resident(held.process)) - before;
  await call(held, 'SendMessage', message('bench__release'));
  const ends = await Promise.all(readers.map(({ ended }) => ended));
  for (const { text } of ends)
    if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(`a stream of the held task ended with ${text}`);
  const since = Date.parse(/"timestamp":"([^"]+)"/.exec(ends[0].text)![1]);
  return { megabytes, taken: ends.map(({ at }) => at - since).sort((a, b) => a - b) };
}

const message = (tool: string) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { tool, arguments: {} } }] },
  configuration: { returnImmediately: true },
});

async function call({ url, headers }: Held, method: string, params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  if (!text.includes('"result"')) throw new Error(`${method} returned ${text}`);
  return text;
}

async function heldTask(held: Held): Promise<string> {
  const sent = JSON.parse(await call(held, 'SendMessage', message('bench__hold'))) as {
    result: { task: { id: string } };
  };
  const { id } = sent.result.task;
  for (;;) {
    const text = await call(held, 'GetTask', { id });
    if (text.includes('TASK_STATE_WORKING')) return id;
    if (!text.includes('TASK_STATE_SUBMITTED')) throw new Error(`the held task is not held: ${text}`);
    await rest(50);
  }
}

const endOfBody = Buffer.from('\r\n0\r\n\r\n');

function overHttp({ url, headers }: Held): Transport {
  const { hostname, port, host, pathname } = new URL(url);
  const sockets: Socket[] = [];
  const open = (id: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } });
    const fields = Object.entries({ host, ...headers, 'content-length': Buffer.byteLength(body) });
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`POST ${pathname} HTTP/1.1\r\n${head}\r\n${body}`);
    return reader(socket, (bytes) => bytes.toString(), endOfBody);
  };
  return { open, close: () => sockets.forEach((socket) => socket.destroy()) };
}

function overGrpc({ grpc: { address, metadata }, tenant }: Held, count: number): Transport {
  const { path, requestSerialize } = rpcs.subscribeToTask;
  const sessions = Array.from({ length: Math.ceil(count / readersPerConnection) }, () => http2(`http://${address}`));
  const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...metadata };
  let n = 0;
  const open = (id: string) => {
    const stream = sessions[n++ % sessions.length].request(head);
    stream.end(framed(requestSerialize(SubscribeToTaskRequest.fromJSON({ tenant, id }))));
    return reader(stream, lastOf);
  };
  return { open, close: () => sessions.forEach((session) => session.destroy()) };
}

const prefixLength = 5;

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function lastOf(bytes: Buffer): string {
  for (let at = 0; ;) {
    const end = at + prefixLength + bytes.readUInt32BE(at + 1);
    if (end >= bytes.length) {
      const message = rpcs.subscribeToTask.responseDeserialize(bytes.subarray(at + prefixLength, end));
      return JSON.stringify(StreamResponse.toJSON(message));
    }
    at = end;
  }
}

/** Resolves after the first message. `end`: the bytes that mark the end if the connection stays open. */
async function reader(stream: Readable, textOf: (bytes: Buffer) => string, end?: Buffer): Promise<Reader> {
  const first = Promise.withResolvers<void>();
  const ended = new Promise<LastMessage>((resolve, reject) => {
    let last: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
    const over = () => resolve({ at: last.at, text: textOf(last.bytes) });
    stream.on('data', (bytes: Buffer) => {
      last = { at: Date.now(), bytes };
      first.resolve();
      if (end && bytes.subarray(-end.length).equals(end)) over();
    });
    stream.once('end', over).once('error', reject);
  });
  ended.catch(() => {}); // awaited later
  await first.promise;
  return { ended };
}
