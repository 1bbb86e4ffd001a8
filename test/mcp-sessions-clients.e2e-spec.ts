import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { inputRequired } from '@modelcontextprotocol/server';
import { setTimeout as rest } from 'node:timers/promises';
import { ToolsService } from '../src/connections/tools.service.js';
import { startServer } from '../src/server.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let neighbour: Awaited<ReturnType<typeof startServer>>;
let upstream: McpUpstream;
let news: ReturnType<McpUpstream['serveStateless']>;
let fixture: GateFixture;
let token: string;

const belts = 'belts://all';
const tools = ['list_tickets', 'get_ticket', 'list_channels', 'ask', 'slow', 'count'].map((name) => upstreamTool(name));
const belt = inputRequired.elicit({
  message: 'Which belt?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer({ MCP_RECONNECT_SECONDS: '1' }), McpUpstream.start()]);
  neighbour = await startServer(testConfig(server.databaseUrl, server.folder, { BASE_URL: server.url }));
  news = upstream.serveStateless({
    tools,
    resources: {
      list: () => ({ resources: [{ uri: belts, name: 'Belts' }] }),
      read: (uri) => ({ contents: [{ uri, text: 'B1, B2' }] }),
    },
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
    call: async (name, { ms = 0 }, { mcpReq }) => {
      await rest(Number(ms));
      if (name === 'ask' && !mcpReq.inputResponses)
        return inputRequired({ inputRequests: { belt }, requestState: 'asked' });
      for (let progress = 1; name === 'count' && progress <= 3; progress++)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: mcpReq._meta!.progressToken!, progress, total: 3 },
        });
      return toolTextResult(`${name}: ${JSON.stringify(mcpReq.inputResponses ?? {})}`);
    },
  });
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const admin = await fixture.principalOf();
  for (const { id, definitionHash } of await fixture.get(ToolsService).listOf(admin, fixture.connectionId))
    await fixture.get(ToolsService).confirm(admin, id, 'read', definitionHash);
  const product = await anAssistantProduct(server, fixture);
  token = (await product.tokens(await aUser(fixture), { scope: 'api:read api:write' })).access_token;
});
afterAll(async () => {
  await neighbour.close();
  await server.close();
  upstream.stop();
});

/** Notifications that a client received. */
class Notifications {
  readonly all: string[] = [];

  /** Repeats `notify` until the notification arrives, because the source ignores it before the subscription reaches it. */
  async until(what: string, notify = () => undefined as void): Promise<void> {
    for (let waited = 0; !this.all.includes(what); waited += 20) {
      if (waited > 60_000) throw new Error(`received ${this.all.join(', ')}, not ${what}`);
      if (waited % 1000 === 0) notify();
      await rest(20);
    }
  }
}
interface Assistant {
  call(name: string, args?: object, progress?: (done: number) => void): Promise<string>;
  subscribe(uri: string): Promise<unknown>;
  notifications: Notifications;
  /** Number of requests whose response has started. */
  answers(): number;
  /** Simulates a network failure. */
  cut(): void;
  close(): Promise<void>;
}

/** Sends requests to the two processes in turn. `cut` breaks all open connections. */
function byTurns() {
  const urls = [server.url, `http://127.0.0.1:${neighbour.config.port}`];
  let turn = 0;
  let answers = 0;
  let abort = new AbortController();
  return {
    answers: () => answers,
    fetch: async (url: string | URL, init: RequestInit = {}) => {
      const { pathname } = new URL(url);
      const signal = AbortSignal.any([abort.signal, ...(init.signal ? [init.signal] : [])]);
      const response = await fetch(urls[turn++ % 2] + pathname, { ...init, signal });
      answers++;
      return response;
    },
    cut: () => {
      abort.abort(new TypeError('cut'));
      abort = new AbortController();
    },
  };
}

const own = { name: 'assistant', version: '1.0.0' };
const accepted = { action: 'accept' as const, content: { name: 'B2' } };
const reconnectionOptions = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 200,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 5,
};
const textOf = (result: object) => (result as { content: { text: string }[] }).content[0].text;

async function today(): Promise<Assistant> {
  const { fetch, cut, answers } = byTurns();
  const notifications = new Notifications();
  const client = new Client(own, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'legacy' } });
  client.setRequestHandler('elicitation/create', () => accepted);
  client.setNotificationHandler('notifications/tools/list_changed', () => void notifications.all.push('tools'));
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void notifications.all.push(params.uri),
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${server.url}/v1/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit, reconnectionOptions }));
  return {
    call: async (name, args = {}, progress) =>
      textOf(
        await client.callTool(
          { name: `workplace__${name}`, arguments: args as never },
          { onprogress: progress && (({ progress: done }) => progress(done)) },
        ),
      ),
    subscribe: (uri) => client.subscribeResource({ uri }),
    notifications,
    answers,
    cut,
    close: () => client.close(),
  };
}

async function earlier(): Promise<Assistant> {
  const { fetch, cut, answers } = byTurns();
  const notifications = new Notifications();
  const client = new OlderClient(own, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => accepted);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notifications.all.push('tools'));
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void notifications.all.push(params.uri),
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`${server.url}/v1/mcp`);
  await client.connect(new OlderTransport(url, { fetch, requestInit, reconnectionOptions }));
  return {
    call: async (name, args = {}, progress) =>
      textOf(
        await client.callTool({ name: `workplace__${name}`, arguments: args as never }, undefined, {
          onprogress: progress && (({ progress: done }) => progress(done)),
        }),
      ),
    subscribe: (uri) => client.subscribeResource({ uri }),
    notifications,
    answers,
    cut,
    close: () => client.close(),
  };
}

describe.each([
  ['the current version', today],
  ['an earlier version', earlier],
])('the official client in %s with two alternating processes', (_, connect) => {
  it('calls tools, answers questions, and receives progress', async () => {
    const assistant = await connect();
    await expect(assistant.call('slow', { ms: 1 })).resolves.toBe('slow: {}');
    await expect(assistant.call('ask')).resolves.toContain('"B2"');
    const progress: number[] = [];
    await assistant.call('count', {}, (done) => progress.push(done));
    expect(progress).toEqual([1, 2, 3]);
    await assistant.close();
  });

  it('receives the outcome after a network failure during the call', async () => {
    const assistant = await connect();
    await rest(2000); // the client opens its stream after initialization
    const before = assistant.answers();
    const calling = assistant.call('slow', { ms: 4000 });
    await expect.poll(() => assistant.answers(), { timeout: 120_000 }).toBeGreaterThan(before);
    await rest(1000); // wait for the first event, whose id the client resumes from
    assistant.cut();
    await expect(calling).resolves.toBe('slow: {}');
    await assistant.close();
  });

  it('is notified of changed tools and of a subscribed resource, before and after a network failure', async () => {
    const assistant = await connect();
    await rest(2000); // the client opens its stream after initialization
    const [{ id }] = await fixture.get(ToolsService).listOf(await fixture.principalOf(), fixture.connectionId);
    await fixture.get(ToolsService).pause(await fixture.principalOf(), id);
    await assistant.notifications.until('tools');
    assistant.cut();
    await rest(1000);
    assistant.notifications.all.length = 0;
    await fixture.get(ToolsService).resume(await fixture.principalOf(), id);
    await assistant.notifications.until('tools');
    await assistant.subscribe(`countersign://workplace/${belts}`);
    await assistant.notifications.until(`countersign://workplace/${belts}`, () => news.notify.resourceUpdated(belts));
    await assistant.close();
  });
});
