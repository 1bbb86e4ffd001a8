import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { inputRequired } from '@modelcontextprotocol/server';
import { setTimeout as rest } from 'node:timers/promises';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import {
  anAssistantProduct,
  currentSdkClient,
  previousSdkClient,
  type ClientFactory,
  signInAssistant,
  type CommonMcpClient,
} from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import type { Product } from './kit/product.js';
import { RoundRobinProxy } from './kit/round-robin.js';
import { type TestServer, testServer } from './kit/server.js';

/* A typical deployment: several processes behind one address without session affinity. */

const settings = { LIMIT_CALL_SECONDS: '4', MCP_HOLD_SECONDS: '2' };
const belt = inputRequired.elicit({
  message: 'Which belt?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});
const tools = ['list_tickets', 'get_ticket', 'list_channels', 'ask', 'create'].map((name) => upstreamTool(name));

let server: TestServer;
let proxy: RoundRobinProxy;
let processes: ServerProcess[];
let upstream: McpUpstream;
let fixture: GateFixture;
let product: Product;
let person: Member;
/** Duration of the upstream tool "create". */
let creatingMs = 0;

const aProcess = () => serverProcess(server.databaseUrl, { ...settings, BASE_URL: proxy.url });
const lead = () => (proxy.targets = processes.filter((one) => one.isAlive()).map(({ url }) => url));
const served = ({ url }: ServerProcess) => proxy.served.get(`${url} /v1/mcp`) ?? 0;

beforeAll(async () => {
  [proxy, upstream] = await Promise.all([RoundRobinProxy.start(), McpUpstream.start()]);
  upstream.serveStateless({
    tools,
    call: async (name, { number }, { mcpReq }) => {
      if (name === 'create') await rest(creatingMs);
      if (name === 'ask' && !mcpReq.inputResponses)
        return inputRequired({ inputRequests: { belt }, requestState: 'asked' });
      return toolTextResult(`${name} ${String(number)}: ${JSON.stringify(mcpReq.inputResponses ?? {})}`);
    },
  });
  server = await testServer({ ...settings, BASE_URL: proxy.url, ROLE: 'web' }); // only creates the fixtures
  processes = await Promise.all([aProcess(), aProcess()]);
  lead();
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  product = (await anAssistantProduct(server, fixture)).at(proxy.url);
  person = await aUser(fixture);
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
  await Promise.all(processes.map((one) => one.kill()));
  await server.close();
  upstream.stop();
  await proxy.stop();
});

type Calling = (name: string, args: object) => Promise<Called>;
interface Called {
  content: { text: string }[];
  _meta: { 'countersign/call': { state: string } };
}

const kinds = [
  ['of 2026', currentSdkClient('auto')],
  ['of 2025, with the newer SDK', currentSdkClient('legacy')],
  ['of 2025, with the older SDK', previousSdkClient],
] as [string, ClientFactory<CommonMcpClient>][];
const open: CommonMcpClient[] = [];

async function enter(make: ClientFactory<CommonMcpClient>): Promise<Calling> {
  const { client } = await signInAssistant(product, person, make);
  open.push(client);
  return calling(client);
}

const calling =
  (client: Pick<CommonMcpClient, 'callTool'>): Calling =>
  (name, args) =>
    client.callTool({ name: `workplace__${name}`, arguments: args }) as unknown as Promise<Called>;

describe.each(kinds)('a client %s', (_, make) => {
  it('signs in and calls tools with its requests spread over all processes', async () => {
    const before = processes.map(served);
    const call = await enter(make);
    for (let number = 0; number < 4; number++)
      expect((await call('list_tickets', { number })).content[0].text).toBe(`list_tickets ${number}: {}`);
    for (const [nth, one] of processes.entries()) expect(served(one)).toBeGreaterThan(before[nth]);
  });
});

describe('a question during a call', () => {
  it.each(['auto', 'legacy'] as const)('is answered through another process (%s)', async (mode) => {
    const { access_token: token } = await product.tokens(person, { scope: 'api:read api:write' });
    const client = new Client(
      { name: 'assistant', version: '1.0.0' },
      { capabilities: { elicitation: {} }, versionNegotiation: { mode } },
    );
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'B2' } }));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${proxy.url}/v1/mcp`), { requestInit }));
    for (let number = 0; number < 5; number++)
      expect((await calling(client as Pick<CommonMcpClient, 'callTool'>)('ask', { number })).content[0].text).toContain(
        '"B2"',
      );
    await client.close();
  });
});

describe('kill -9 with running calls at both processes', () => {
  it('runs no call twice, and every client gets its outcomes', async () => {
    creatingMs = 400;
    const numbers = Array.from({ length: 48 }, (_, number) => number);
    const assistants = kinds.map(([, make]) => new RetryingClient(make));
    const outcomes = Promise.all(numbers.map((number) => assistants[number % assistants.length].outcome(number)));
    await untilArrived(6);
    await killAndReplace(0);
    await untilArrived(20);
    await killAndReplace(1);
    const states = await outcomes;
    for (const [number, state] of states.entries()) {
      const times = created().filter((one) => one === number).length;
      // a call that may have been executed does not run again: a person resolves its outcome
      if (state === 'unsettled') expect(times).toBeLessThanOrEqual(1);
      else expect([number, state, times]).toEqual([number, 'succeeded', 1]);
    }
    expect(states).toContain('succeeded');
    expect(states).toContain('unsettled');
  });
});

const created = () =>
  upstream.calls.flatMap(({ name, arguments: args }) =>
    name === 'create' ? [(args as { number: number }).number] : [],
  );

async function untilArrived(count: number): Promise<void> {
  while (created().length < count) await rest(5);
}

async function killAndReplace(nth: number): Promise<void> {
  await processes[nth].kill('SIGKILL');
  lead();
  processes[nth] = await aProcess();
  lead();
}

/** Repeats a call after a connection failure or while it runs, and reconnects if its session is gone. */
class RetryingClient {
  private entered: Promise<Calling>;

  constructor(private readonly make: ClientFactory<CommonMcpClient>) {
    this.entered = enter(make);
  }

  async outcome(number: number): Promise<string> {
    for (;;) {
      const { entered } = this;
      try {
        const { state } = (await (await entered)('create', { number }))._meta['countersign/call'];
        if (state !== 'executing') return state;
      } catch {
        if (this.entered === entered) this.entered = enter(this.make);
      }
      await rest(200);
    }
  }
}
