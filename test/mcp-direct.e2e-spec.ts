import { inputRequired } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { envelope, Rpc, type RpcAnswer } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';

/* Direct answers must equal the answers of the SDK's server. */

let server: TestServer;
let upstream: McpUpstream;
let rpc: Rpc;
let readOnly: Rpc;
let fixture: GateFixture;

/** An argument that is repeated in a header. */
const placed = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};
/** Content of every type. */
const large = {
  content: [
    { type: 'text', text: 'Grüße \u2028 \ud83d\ude00 "tools":[]' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'c' } },
    { type: 'resource', resource: { uri: 'a://b', blob: 'AAAA' } },
    { type: 'resource_link', uri: 'a://b', name: 'b', title: 'B', description: 'the letter', mimeType: 'text/plain' },
  ],
  structuredContent: { constructor: 1, a: [null, 0.5, { b: '' }] },
};
const form = { type: 'object' as const, properties: { answer: { type: 'string' as const } } };

beforeAll(async () => {
  upstream = await McpUpstream.start();
  upstream.serveStateless({
    tools: [
      ...['list_tickets', 'get_ticket', 'list_channels', 'numbers', 'fail', 'ask', 'large'].map((name) =>
        upstreamTool(name),
      ),
      upstreamTool('place', { inputSchema: placed }),
    ],
    call: async (name) => {
      if (name === 'ask')
        return inputRequired({
          inputRequests: { first: inputRequired.elicit({ message: 'Who?', requestedSchema: form }) },
        });
      if (name === 'large') return large;
      if (name === 'numbers') return { content: [], structuredContent: [1, 2] as never };
      return name === 'fail' ? { ...toolTextResult('no such ticket'), isError: true } : toolTextResult('done');
    },
  });
  server = await testServer({ MCP_HOLD_SECONDS: '1' });
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const product = await anAssistantProduct(server, fixture);
  const user = await aUser(fixture);
  rpc = new Rpc(server.url, (await product.tokens(user, { scope: 'api:write' })).access_token);
  readOnly = new Rpc(server.url, (await product.tokens(user, { scope: 'api:read' })).access_token);
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

/** A request with unknown metadata is not plain, so the SDK answers it. */
const elsewhere = { _meta: { 'example.org/word': 1 } };
let count = 0;

/** Removes values that differ between calls. */
function shown({ status, headers, body }: RpcAnswer) {
  const text = JSON.stringify(body)
    .replaceAll(/"(id|requestId)":"[0-9a-f-]{36}"/g, '"$1":"…"')
    .replaceAll(/"requestState":"[^"]+"/g, '"requestState":"…"');
  return {
    status,
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
    body: JSON.parse(text) as object,
  };
}

/** Sends the request on both paths, each with new `params`, and compares the answers. */
async function both(
  method: string,
  params: () => Record<string, unknown>,
  sent: Parameters<Rpc['call']>[2] = {},
  by = rpc,
): Promise<RpcAnswer> {
  const [direct, bySdk] = [
    await by.call(method, params(), sent),
    await by.call(method, { ...params(), ...elsewhere }, sent),
  ];
  expect(shown(direct)).toEqual(shown(bySdk));
  return direct;
}
const fresh = (name: string, args: object = {}) => ({
  name: `workplace__${name}`,
  arguments: { nonce: ++count, ...args },
});
const words = ({ body }: RpcAnswer) => JSON.stringify(body);

describe('a plain request', () => {
  it.each([
    ['a result', 'list_tickets', '"text":"done"'],
    ['a result with every content type', 'large', '"data":"AAAA"'],
    ['a result that is not an object', 'numbers', '"text":"[1,2]"'],
    ['a failure', 'fail', 'no such ticket'],
    ['an unknown tool', 'nothing', 'Unknown tool'],
    ['invalid arguments', 'place', 'region'],
  ])('is answered as by the SDK: %s', async (_, name, expected) => {
    const direct = await both('tools/call', () => fresh(name));
    expect(direct.status).toBe(200);
    expect(words(direct)).toContain(expected);
  });

  it('is answered as by the SDK: a list', async () => {
    const direct = await both('tools/list', () => ({}));
    expect([direct.status, words(direct)]).toEqual([200, expect.stringContaining('workplace__get_ticket')]);
  });

  it('is refused as by the SDK if its token has only read scope', async () => {
    const direct = await both('tools/call', () => ({ name: 'workplace__fail' }), {}, readOnly);
    expect(direct.status).toBe(403);
  });

  it('is refused as by the SDK if a header does not match its argument', async () => {
    const sent = { headers: { 'mcp-param-region': 'north' } };
    const direct = await both('tools/call', () => fresh('place', { region: 'south' }), sent);
    expect([direct.status, direct.body.error.code]).toEqual([400, -32020]);
  });

  it('is answered with a question as by the SDK if the client supports it', async () => {
    const params = fresh('ask');
    const forms = { capabilities: { elicitation: {} } };
    const asked = await both('tools/call', () => params, forms);
    expect(asked.body.result).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
    const unasked = await both('tools/call', () => params);
    expect([unasked.status, unasked.body.error]).toMatchObject([
      400,
      { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    ]);
    const never = await both('tools/call', () => fresh('ask'));
    expect([never.status, never.body.error.code]).toEqual([400, -32021]);
  });

  it.each([
    ['a page', { elicitation: { url: {} } }, '"mode":"url"'],
    ['a task', { extensions: { 'io.modelcontextprotocol/tasks': {} } }, '"resultType":"task"'],
    ['text', {}, 'Pending approval'],
  ])('that needs an approval is answered as by the SDK: with %s', async (_, capabilities, expected) => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    const params = fresh('list_channels');
    const direct = await both('tools/call', () => params, { capabilities });
    expect(words(direct)).toContain(expected);
    await fixture.publish('permit (principal, action, resource);');
  });

  it.each<[string, string | number]>([
    ['an empty string', ''],
    ['a JavaScript property name', '__proto__'],
    ['zero', 0],
    ['a negative number', -1],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER],
    ['a long string', 'x'.repeat(10_000)],
    ['a string with special characters', 'a "quote" \n and \u{1f600}'],
  ])('is answered with its id: %s', async (_, id) => {
    const ask = (_meta: object) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/list',
      params: { _meta: { ...envelope({}), ..._meta } },
    });
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const answers = [];
    for (const more of [{}, elsewhere._meta]) answers.push(await rpc.post(JSON.stringify(ask(more)), headers));
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
      [200, id],
      [200, id],
    ]);
  });
});
