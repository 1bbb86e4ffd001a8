import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountNeeded } from '../src/connections/connections.error.js';
import { type ExecutionContext, type OfferedTool, ToolsService } from '../src/connections/tools.service.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;
let rpc: Rpc;
/** Counts upstream calls that began, were aborted and completed. */
const seen = { begun: 0, left: 0, done: 0 };
let hasAccount = false;
const account = 'https://countersign.example/connections/c1/connect';

const offered = (name: string, effect: OfferedTool['effect']): OfferedTool => ({
  name: `notes__${name}`,
  connectionId: null,
  connectionSlug: 'notes',
  connectionRevision: 1,
  operation: 'tool',
  title: name,
  description: '',
  inputSchema: { type: 'object' },
  effect,
  definitionHash: name,
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
});

beforeAll(async () => {
  upstream = await McpUpstream.start();
  upstream.serveStateless({
    tools: [
      ...['list_tickets', 'get_ticket', 'list_channels', 'greet'].map((name) => upstreamTool(name)),
      upstreamTool('refer', {
        inputSchema: { type: 'object', properties: { a: { $ref: `${upstream.origin}/schema.json` } } },
        outputSchema: { type: 'object', properties: { a: { $ref: `${upstream.origin}/schema.json` } } },
      }),
    ],
    call: async (_name, { ms = 0 }, { mcpReq }) => {
      seen.begun++;
      mcpReq.signal.addEventListener('abort', () => seen.left++);
      await pause(Number(ms));
      seen.done++;
      return toolTextResult('done');
    },
    resources: { list: () => ({ resources: [] }), read: (uri) => ({ contents: [{ uri, text: 'read' }] }) },
  });
  server = await testServer({ MCP_HOLD_SECONDS: '1', APPROVAL_SECONDS: '3' });
  server.app.get(ToolsService).registerProvider({
    slug: 'notes',
    tools: async () => [offered('look', 'read'), offered('write', 'write')],
    execute: async (_context: ExecutionContext) => {
      if (!hasAccount) throw new AccountNeeded('“Notes”: you have no account there.', account);
      return { content: [{ type: 'text', text: 'noted' }], isError: false, outside: false };
    },
  });
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const product = await anAssistantProduct(server, fixture);
  const user = await aUser(fixture);
  rpc = new Rpc(server.url, (await product.tokens(user, { scope: 'api:write' })).access_token);
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

let count = 0;
const fresh = (more: object = {}) => ({ nonce: ++count, ...more });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(look: () => boolean): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await pause(10)) if (look()) return;
  throw new Error('it did not come to that');
}
const call = (name: string, args: object, more: object = {}, capabilities: object = {}) =>
  rpc.call('tools/call', { name, arguments: args, ...more }, { capabilities });
const olderClient = async (capabilities: object = {}): Promise<Client> => {
  const client = new Client(
    { name: 'assistant', version: '1' },
    { versionNegotiation: { mode: 'legacy' }, capabilities },
  );
  const requestInit = { headers: { authorization: `Bearer ${rpc.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/v1/mcp`), { requestInit }));
  return client;
};

describe('an account that a connected system requires', () => {
  const opens = { elicitation: { url: {} } };

  it('is connected on a page that the client opens, and then the same call succeeds', async () => {
    hasAccount = false;
    const args = fresh();
    const away = (await call('notes__write', args, {}, opens)).body.result;
    expect(away).toMatchObject({
      resultType: 'input_required',
      inputRequests: { account: { method: 'elicitation/create', params: { mode: 'url', url: account } } },
    });
    hasAccount = true;
    const back = { requestState: away.requestState, inputResponses: { account: { action: 'accept' } } };
    expect((await call('notes__write', args, back, opens)).body.result).toMatchObject({
      isError: false,
      content: [{ text: 'noted' }],
    });
  });

  it.each(['notes__write', 'notes__look'])('is not requested twice in a row by %s', async (name) => {
    hasAccount = false;
    const args = fresh();
    const { requestState } = (await call(name, args, {}, opens)).body.result;
    const back = { requestState, inputResponses: { account: { action: 'decline' } } };
    expect((await call(name, args, back, opens)).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no account') }],
    });
    hasAccount = true;
    expect((await call(name, args, {}, opens)).body.result).toMatchObject({ isError: false });
  });

  it('is requested in the result text if the client opens no pages', async () => {
    hasAccount = false;
    expect((await call('notes__write', fresh())).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('no account') }],
    });
  });

  it('is requested with a protocol error for 2025 clients that support it, and with text for others', async () => {
    hasAccount = false;
    const knows = await olderClient({ elicitation: { form: {}, url: {} } });
    await expect(knows.callTool({ name: 'notes__write', arguments: fresh() })).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: account, elicitationId: expect.any(String) }] },
    });
    await knows.close();
    const simple = await olderClient();
    expect(await simple.callTool({ name: 'notes__write', arguments: fresh() })).toMatchObject({ isError: true });
    await simple.close();
  });
});

describe('a client that cancels its request', () => {
  it('by disconnecting (2026) also cancels a read at the connected system', async () => {
    const { begun, left } = seen;
    const leaving = new AbortController();
    const params = { name: 'workplace__get_ticket', arguments: fresh({ ms: 3000 }) };
    const sent = rpc.call('tools/call', params, { signal: leaving.signal });
    await until(() => seen.begun > begun);
    leaving.abort();
    await expect(sent).rejects.toThrow();
    await until(() => seen.left > left);
  });

  it('by notification (2025) also cancels a read at the connected system', async () => {
    const { begun, left } = seen;
    const client = await olderClient();
    const leaving = new AbortController();
    const sent = client.callTool(
      { name: 'workplace__get_ticket', arguments: fresh({ ms: 3000 }) },
      { signal: leaving.signal },
    );
    await until(() => seen.begun > begun);
    leaving.abort('no longer needed');
    await expect(sent).rejects.toThrow();
    await until(() => seen.left > left);
    await client.close();
  });

  it('gets the outcome of a write with the same call', async () => {
    const { begun } = seen;
    const client = await olderClient();
    const leaving = new AbortController();
    const args = fresh({ ms: 300 });
    const sent = client.callTool({ name: 'workplace__greet', arguments: args }, { signal: leaving.signal });
    await until(() => seen.begun > begun);
    leaving.abort('no longer needed');
    await expect(sent).rejects.toThrow();
    expect(await client.callTool({ name: 'workplace__greet', arguments: args })).toMatchObject({
      isError: false,
      _meta: { 'countersign/call': { state: 'succeeded' } },
    });
    expect(seen.begun).toBe(begun + 1);
    await client.close();
  });
});

describe('a schema with an external reference', () => {
  it('is not fetched, and calls of its tool fail', async () => {
    const { body } = await call('workplace__refer', { a: 1 });
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('cannot be used') }],
    });
    await rpc.call('tools/list');
    expect(upstream.requests.filter(({ url }) => url!.includes('schema.json'))).toEqual([]);
  });
});

describe('a running call', () => {
  it('is joined by the same call', async () => {
    const { begun } = seen;
    const args = fresh({ ms: 500 });
    const first = call('workplace__greet', args);
    await until(() => seen.begun > begun);
    const [one, other] = await Promise.all([first, call('workplace__greet', args)]);
    expect(one.body.result).toMatchObject({ isError: false, content: [{ text: 'done' }] });
    expect(other.body.result).toMatchObject({ isError: false, content: [{ text: 'done' }] });
    expect(seen.begun).toBe(begun + 1);
  });
});

describe('a pending approval', () => {
  it('denies the call when it expires', async () => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    const args = fresh();
    expect((await call('workplace__greet', args)).body.result).toMatchObject({ isError: false });
    await pause(3000);
    for (const end = Date.now() + 120_000; ;) {
      const { result } = (await call('workplace__greet', args)).body;
      if (result.isError) {
        expect(result).toMatchObject({ content: [{ text: expect.stringContaining('before the approval expired') }] });
        break;
      }
      expect(Date.now()).toBeLessThan(end);
    }
  });

  it('is reported as an error if the operation has no result for it', async () => {
    const { body } = await rpc.call('resources/read', { uri: 'countersign://workplace/notes://1' });
    expect(body.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('Pending approval'),
      data: { code: 'approval-pending', approval: { url: expect.stringContaining('/approvals/') } },
    });
  });
});
