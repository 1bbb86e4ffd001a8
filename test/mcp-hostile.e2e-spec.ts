import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { envelope, Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { SessionWire } from './kit/session-wire.js';

let server: TestServer;
let upstream: McpUpstream;
let token: string;
let neighbours: string;
let released: Promise<void>;
let release: () => void;

/** Larger than the limit for unread data. */
const large = 1_000_000;

beforeAll(async () => {
  [server, upstream] = await Promise.all([
    testServer({ LIMIT_OPEN_REQUESTS: '3', LIMIT_STREAM_UNREAD_BYTES: '65536' }),
    McpUpstream.start(),
  ]);
  released = new Promise<void>((resolve) => (release = resolve));
  upstream.serveStateless({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'wait', 'large'].map((name) => upstreamTool(name)),
    call: async (name, _args, { mcpReq }) => {
      if (name === 'wait') await released;
      if (name === 'large') {
        const { progressToken } = mcpReq._meta!;
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: progressToken!, progress: 1 },
        });
        return { content: [{ type: 'image', data: 'A'.repeat(large), mimeType: 'image/png' }] };
      }
      return toolTextResult(name);
    },
  });
  const fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const product = await anAssistantProduct(server, fixture);
  const tokenOf = async (person: Member) =>
    (await product.tokens(person, { scope: 'api:read api:write' })).access_token;
  token = await tokenOf(await aUser(fixture));
  neighbours = await tokenOf(await aUser(fixture, 'Nora Neighbour'));
});
afterAll(async () => {
  release();
  await server.close();
  upstream.stop();
});

const misshapen: [string, object][] = [
  ['tools/list', { cursor: 5 }],
  ['resources/list', { cursor: {} }],
  ['prompts/list', { cursor: null }],
  ['prompts/get', { name: 'x', arguments: { a: 5 } }],
  ['completion/complete', { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: 'b' } }],
];

describe('a request that does not match the schema of its method', () => {
  it.each(misshapen)('gets an invalid params error: %s', async (method, params) => {
    const now = await new Rpc(server.url, token).call(method, params as Record<string, unknown>);
    expect(now.body.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(`^Invalid params for ${method}: params`),
    });
    const session = await new SessionWire(server.url, token).begin();
    const before = await (await session.request(method, params)).body();
    expect(before.error).toMatchObject({ code: -32602, message: now.body.error.message });
  });

  it.each([
    ['a number as version', { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'a', version: '1' } }],
    [
      'invalid capabilities',
      { protocolVersion: '2025-11-25', capabilities: { elicitation: 5 }, clientInfo: { name: 'a', version: '1' } },
    ],
    ['no params', {}],
  ])('starts no session: %s', async (_name, params) => {
    const answer = await new SessionWire(server.url, token).request('initialize', params);
    expect((await answer.body()).error.code).toBe(-32602);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('a session', () => {
  it('does not store a URI that is too long', async () => {
    const session = await new SessionWire(server.url, token).begin();
    const uri = `countersign://workplace/${'x'.repeat(900_000)}`;
    const { error } = await (await session.request('resources/subscribe', { uri })).body();
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error).length).toBeLessThan(10_000);
  });
});

describe('a client with a slow connection', () => {
  it('receives a long answer in full', async () => {
    const params = { name: 'workplace__large', arguments: {}, _meta: { ...envelope({}), progressToken: 1 } };
    const request = http.request(`${server.url}/v1/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': params.name,
      },
    });
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.headers['content-type']).toMatch('text/event-stream');
    let length = 0;
    for await (const chunk of response) {
      length += (chunk as Buffer).length;
      await rest(10);
    }
    expect(length).toBeGreaterThan(large);
  });
});

describe('a client with many open requests', () => {
  it('gets a rate limit error with a retry time, and other clients do not', async () => {
    const session = await new SessionWire(server.url, token).begin();
    const call = (name: string, n: number) => session.call(`workplace__${name}`, { n });
    const waiting = [1, 2, 3].map((n) => call('wait', n));
    while (upstream.calls.length < 3) await rest(10);
    const refused = await call('list_tickets', 4);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.body()).toMatchObject({ code: 'rate-limited' });
    expect((await session.notify('notifications/cancelled', { requestId: 'none' })).status).toBe(202);
    expect((await session.respond('none', {})).status).toBe(202);
    expect((await new Rpc(server.url, neighbours).call('tools/list')).status).toBe(200);
    release();
    await Promise.all(waiting.map(async (answer) => (await answer).body()));
    expect((await call('list_tickets', 5)).status).toBe(200);
  });

  it.each<[string, object]>([
    ['', {}],
    [' and receives progress', { _meta: { progressToken: 1 } }],
  ])('has them open until they end, even if it disconnects%s', async (how, more) => {
    const rpc = new Rpc(server.url, token);
    const { letGo, begun } = waits();
    for (const n of [1, 2, 3]) {
      const leaving = new AbortController();
      const params = { name: 'workplace__wait', arguments: { n, how }, ...more };
      const request = rpc.call('tools/call', params, { signal: leaving.signal });
      await begun(n);
      leaving.abort();
      await expect(request).rejects.toThrow('aborted');
    }
    expect((await rpc.call('tools/list')).status).toBe(429);
    letGo();
    await untilFree(rpc);
  });

  it('also has cancelled requests open until they end', async () => {
    const session = await new SessionWire(server.url, token).begin();
    const { letGo, begun } = waits();
    for (const n of [1, 2, 3]) {
      const request = session.request('tools/call', { name: 'workplace__wait', arguments: { taken: n } }, `call-${n}`);
      await begun(n);
      await session.notify('notifications/cancelled', { requestId: `call-${n}` });
      expect((await request).status).toBe(202);
    }
    const rpc = new Rpc(server.url, token);
    expect((await rpc.call('tools/list')).status).toBe(429);
    letGo();
    await untilFree(rpc);
  });
});

/** Makes calls of `wait` block until `letGo`. `begun` resolves after this number of calls has arrived. */
function waits(): { letGo: () => void; begun: (count: number) => Promise<void> } {
  released = new Promise<void>((resolve) => (release = resolve));
  upstream.forgetRequests();
  const begun = async (count: number) => {
    while (upstream.calls.length < count) await rest(10);
  };
  return { letGo: release, begun };
}

async function untilFree(rpc: Rpc): Promise<void> {
  while ((await rpc.call('tools/list')).status === 429) await rest(20);
}
