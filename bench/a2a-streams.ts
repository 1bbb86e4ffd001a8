import { StreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as rest } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { GrpcCaller, type GrpcPlace, rpcs } from './a2a-grpc.ts';
import { resident } from './resident.ts';

/*
 * Many readers of one task, which is held until they all listen: what they take, and how long its end is on the way to the
 * last of them, from the time that it says itself.
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
  /** Milliseconds until a reader knew of the end, in order. */
  taken: number[];
}
interface Reader {
  /** Resolves with when the last update came, once the stream has ended, and with its text. */
  ended: Promise<{ at: number; last: string }>;
}
type Open = (taskId: string) => Promise<Reader>;

const settleMs = 5000;
const readersPerConnection = 40;

export async function hear(held: Held, binding: 'JSON-RPC' | 'gRPC', count: number): Promise<Heard> {
  const ways = binding === 'gRPC' ? overGrpc(held, count) : overHttp(held);
  try {
    await round(held, ways.open, 100); // what is loaded with the first reader belongs to nobody
    return await round(held, ways.open, count);
  } finally {
    await ways.close();
  }
}

async function round(held: Held, open: Open, count: number): Promise<Heard> {
  const taskId = await heldTask(held);
  await rest(settleMs);
  const before = await resident(held.process);
  const readers: Reader[] = [];
  for (let opened = 0; opened < count; opened += 20)
    readers.push(...(await Promise.all(Array.from({ length: 20 }, () => open(taskId)))));
  await rest(settleMs);
  const megabytes = (await resident(held.process)) - before;
  await call(held, 'SendMessage', message('bench__release'));
  const ends = await Promise.all(readers.map(({ ended }) => ended));
  for (const { last } of ends)
    if (!last.includes('TASK_STATE_COMPLETED')) throw new Error(`a stream of the held task ended with ${last}`);
  const since = Date.parse(/"timestamp":"([^"]+)"/.exec(ends[0].last)![1]);
  return { megabytes, taken: ends.map(({ at }) => at - since).sort((a, b) => a - b) };
}

const message = (tool: string) => ({
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { tool, arguments: {} } }] },
  configuration: { returnImmediately: true },
});

async function call({ url, headers }: Held, method: string, params: object): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  if (!text.includes('"result"')) throw new Error(`${method} was answered ${text}`);
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

function overHttp({ url, headers }: Held): { open: Open; close(): Promise<void> } {
  const dispatcher = new Agent({ connections: null, pipelining: 1, bodyTimeout: 0 });
  const open: Open = async (id) => {
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } });
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: asked, dispatcher });
    if (statusCode !== 200) throw new Error(`a subscription was answered ${statusCode}: ${await body.text()}`);
    const end = { at: 0, last: '' };
    const first = Promise.withResolvers<void>();
    const ended = new Promise<typeof end>((resolve, reject) => {
      body.on('data', (bytes: Buffer) => {
        const text = bytes.toString();
        if (text.includes('TASK_STATE')) Object.assign(end, { at: Date.now(), last: text });
        first.resolve();
      });
      body.once('end', () => resolve(end)).once('error', reject);
    });
    ended.catch(() => {}); // it is waited for later
    await first.promise;
    return { ended };
  };
  return { open, close: () => dispatcher.destroy() };
}

function overGrpc({ grpc, tenant }: Held, count: number): { open: Open; close(): Promise<void> } {
  const callers = Array.from({ length: Math.ceil(count / readersPerConnection) }, () => new GrpcCaller(grpc));
  let n = 0;
  // decoding for thousands of readers is no time of the server's
  const undecoded = { ...rpcs.subscribeToTask, responseDeserialize: (bytes: Buffer) => bytes };
  const open: Open = async (id) => {
    const subscription = SubscribeToTaskRequest.fromJSON({ tenant, id });
    const stream = callers[n++ % callers.length].follow(undecoded, subscription);
    const end = { at: 0, last: Buffer.alloc(0) };
    const first = Promise.withResolvers<void>();
    const ended = new Promise<{ at: number; last: string }>((resolve, reject) => {
      stream.on('data', (last: Buffer) => {
        Object.assign(end, { at: Date.now(), last });
        first.resolve();
      });
      stream.once('end', () => resolve({ at: end.at, last: asText(end.last) })).once('error', reject);
    });
    ended.catch(() => {}); // it is waited for later
    await first.promise;
    return { ended };
  };
  return { open, close: () => Promise.resolve(callers.forEach((caller) => caller.close())) };
}

const asText = (bytes: Buffer) =>
  JSON.stringify(StreamResponse.toJSON(rpcs.subscribeToTask.responseDeserialize(bytes)));
