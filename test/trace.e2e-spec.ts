import { afterAll, beforeAll, expect, it } from 'vitest';
import { once } from 'node:events';
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

interface Span {
  name: string;
  traceId: string;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spans: Span[] = [];
const seenUpstream: (string | undefined)[] = [];

let collector: Server;
let proxy: Server;
let workplace: Workplace;
let server: TestServer;

const listening = async (one: Server): Promise<string> => {
  one.listen(0, '127.0.0.1');
  await once(one, 'listening');
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
};

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  workplace = await Workplace.start();
  // forwards all requests, and records the trace header of tool calls
  proxy = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (body.includes('"tools/call"')) seenUpstream.push(request.headers.traceparent as string | undefined);
      const { host: _, ...headers } = request.headers;
      const passed = forward(new URL(request.url!, workplace.url), { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      passed.end(body);
    });
  });
  server = await testServer({ OTEL_EXPORTER_OTLP_ENDPOINT: await listening(collector) });
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
  proxy.close();
  collector.close();
});

it('one trace spans the request of an external agent and the upstream call', async () => {
  const fixture = await GateFixture.create(server, { url: `${await listening(proxy)}/mcp` });
  const sent = await fetch(`${server.url}/agents/${fixture.configurationId}/tasks/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fixture.key}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({
      id: 'traced',
      message: { role: 'user', parts: [{ data: { tool: 'workplace__list_tickets', arguments: {} } }] },
    }),
  });
  expect(sent.status).toBe(200);
  await until(() => seenUpstream.length > 0);
  expect(seenUpstream[0]).toMatch(`00-${traceId}-`);

  await until(() => named('gate.execute') && named('POST'));
  for (const name of ['POST', 'task.work', 'agent.turn', 'gate.call', 'gate.execute', 'tool.execute']) {
    expect(spans.find((span) => span.name.startsWith(name))).toMatchObject({ traceId });
  }
});

const named = (name: string) => spans.some((span) => span.name.startsWith(name) && span.traceId === traceId);

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50));
}
