import { afterAll, beforeAll, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { type EventStream, openStream } from './sse.js';

const limits = { keepAliveMs: 50, maxBufferedBytes: 64 * 1024, stalledMs: 400 };
const opened: { stream: EventStream; length: () => number }[] = [];
const server = createServer((incoming, outgoing) => {
  const response = Object.assign(outgoing, {
    status: (code: number) => Object.assign(outgoing, { statusCode: code }),
    set: (headers: Record<string, string>) =>
      Object.entries(headers).forEach(([name, value]) => outgoing.setHeader(name, value)),
  });
  const stream = openStream(incoming as Request, response as unknown as Response, limits);
  opened.push({ stream, length: () => outgoing.writableLength });
});
let port: number;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

async function reader() {
  const sent = request({ port, host: '127.0.0.1' }).end();
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { destroy(): void }];
  return { response, ...opened.at(-1)! };
}

it('delivers an event that is larger than the unread limit', async () => {
  const { response, stream } = await reader();
  const data = 'x'.repeat(1024 * 1024);
  expect(stream.send({ data })).toBe(true);
  let length = 0;
  for await (const chunk of response) {
    length += chunk.length;
    if (length > data.length) break;
  }
  expect(length).toBeGreaterThan(data.length);
});

it('disconnects a client that reads nothing, with a closing comment and bounded memory', async () => {
  const { response, stream, length } = await reader();
  response.pause();
  let sent = 0;
  while (stream.send({ data: 'x'.repeat(64 * 1024) }) && sent < 1000) {
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
    expect(length()).toBeLessThanOrEqual(2 * 64 * 1024 + 200);
  }
  expect(stream.isOpen).toBe(false);
  expect(sent).toBeLessThan(1000);
  let end = '';
  for await (const chunk of response) end = (end + String(chunk)).slice(-200);
  expect(end).toMatch(/\n\n: closed because too much data was unread; reconnect with Last-Event-ID\n\n$/);
});

it('disconnects a client that leaves data unread for too long', async () => {
  const { response, stream } = await reader();
  response.pause();
  const closed = new Promise<void>((resolve) => stream.onClose(resolve));
  stream.send({ data: 'x'.repeat(16 * 1024 * 1024) }); // more than the operating system buffers
  expect(stream.isOpen).toBe(true);
  await closed;
});

it('sends keep-alive comments to an active client', async () => {
  const { response, stream } = await reader();
  let comments = 0;
  for await (const chunk of response) {
    comments += String(chunk).split(': keep-alive\n\n').length - 1;
    if (comments >= 10) break;
  }
  expect(comments).toBeGreaterThanOrEqual(10);
  expect(stream.isOpen).toBe(true);
});
