import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { type EventStream, openStream } from './sse.js';

const opened: EventStream[] = [];
const server = createServer((incoming, outgoing) => {
  const response = Object.assign(outgoing, {
    status: (code: number) => Object.assign(outgoing, { statusCode: code }),
    set: (headers: Record<string, string>) =>
      Object.entries(headers).forEach(([name, value]) => outgoing.setHeader(name, value)),
  });
  opened.push(openStream(incoming as Request, response as unknown as Response, { maxBufferedBytes: 64 * 1024 }));
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
  return { response, stream: opened.at(-1)! };
}

it('delivers an event that is longer than what a slow reader may leave unread', async () => {
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

it('lets a reader go that reads nothing', async () => {
  const { response, stream } = await reader();
  response.pause();
  let sent = 0;
  while (stream.send({ data: 'x'.repeat(64 * 1024) }) && sent < 1000) {
    sent++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stream.isOpen).toBe(false);
  expect(sent).toBeLessThan(1000);
});
