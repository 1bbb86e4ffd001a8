import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aUser } from './kit/api.js';
import { anAssistant } from './kit/assistants.js';
import { Governed } from './kit/governed.js';
import { McpUpstream, said, tool } from './kit/mcp-upstream.js';
import { Rpc, type RpcAnswer } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';

/* What is answered without the SDK's server is the answer that it would have given. */

let server: TestServer;
let upstream: McpUpstream;
let rpc: Rpc;
let readOnly: Rpc;

beforeAll(async () => {
  upstream = await McpUpstream.start();
  upstream.modern({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'numbers', 'fail'].map((name) => tool(name)),
    call: async (name) => {
      if (name === 'numbers') return { content: [], structuredContent: [1, 2] as never };
      return name === 'fail' ? { ...said('no such ticket'), isError: true } : said('done');
    },
  });
  server = await testServer();
  const house = await Governed.house(server, upstream);
  await house.publish('permit (principal, action, resource);');
  const product = await anAssistant(server, house);
  const user = await aUser(house);
  rpc = new Rpc(server.url, (await product.tokens(user, { scope: 'api:write' })).access_token);
  readOnly = new Rpc(server.url, (await product.tokens(user, { scope: 'api:read' })).access_token);
}, 60_000);
afterAll(async () => {
  await server.close();
  upstream.stop();
});

/** A word that nobody knows is none of ours, so the SDK takes such a request. */
const elsewhere = { _meta: { 'example.org/word': 1 } };
let count = 0;

/** Each call is one of its own. */
function shown({ status, headers, body }: RpcAnswer) {
  const text = JSON.stringify(body).replaceAll(/"(id|requestId)":"[0-9a-f-]{36}"/g, '"$1":"…"');
  return {
    status,
    type: headers.get('content-type'),
    challenge: headers.get('www-authenticate'),
    body: JSON.parse(text) as object,
  };
}

describe('a plain request', () => {
  it.each([
    ['a list', 'tools/list', {}, 'workplace__get_ticket'],
    ['a result', 'tools/call', { name: 'workplace__list_tickets' }, '"text":"done"'],
    ['a result that is no object', 'tools/call', { name: 'workplace__numbers' }, '"text":"[1,2]"'],
    ['a failure', 'tools/call', { name: 'workplace__fail' }, 'no such ticket'],
    ['an unknown tool', 'tools/call', { name: 'workplace__nothing' }, 'Unknown tool'],
  ])('is answered as by the SDK: %s', async (_, method, params, words) => {
    const asked = (more: Record<string, unknown>) =>
      rpc.call(method, 'name' in params ? { ...params, arguments: { nonce: ++count }, ...more } : more);
    const [direct, bySdk] = [await asked({}), await asked(elsewhere)];
    expect(shown(direct)).toEqual(shown(bySdk));
    expect(direct.status).toBe(200);
    expect(JSON.stringify(direct.body)).toContain(words);
  });

  it('is refused as by the SDK where its token may only read', async () => {
    const asked = (more: Record<string, unknown>) => readOnly.call('tools/call', { name: 'workplace__fail', ...more });
    const [direct, bySdk] = [await asked({}), await asked(elsewhere)];
    expect(shown(direct)).toEqual(shown(bySdk));
    expect(direct.status).toBe(403);
  });
});
