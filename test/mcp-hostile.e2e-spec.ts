import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aUser } from './kit/api.js';
import { anAssistant } from './kit/assistants.js';
import { Governed } from './kit/governed.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { SessionWire } from './kit/session-wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let token: string;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  const house = await Governed.house(server, workplace);
  const product = await anAssistant(server, house);
  token = (await product.tokens(await aUser(house), { scope: 'api:read api:write' })).access_token;
}, 60_000);
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const misshapen: [string, object][] = [
  ['tools/list', { cursor: 5 }],
  ['resources/list', { cursor: {} }],
  ['prompts/list', { cursor: null }],
  ['prompts/get', { name: 'x', arguments: { a: 5 } }],
  ['completion/complete', { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: 'b' } }],
];

describe('a request that does not have the form of its method', () => {
  it.each(misshapen)('is the client’s mistake, not ours: %s', async (method, params) => {
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
    ['a version that is none', { protocolVersion: 5, capabilities: {}, clientInfo: { name: 'a', version: '1' } }],
    [
      'abilities that are none',
      { protocolVersion: '2025-11-25', capabilities: { elicitation: 5 }, clientInfo: { name: 'a', version: '1' } },
    ],
    ['nothing', {}],
  ])('begins no session: %s', async (_name, params) => {
    const answer = await new SessionWire(server.url, token).request('initialize', params);
    expect((await answer.body()).error.code).toBe(-32602);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('a session', () => {
  it('keeps no address that is longer than any', async () => {
    const session = await new SessionWire(server.url, token).begin();
    const uri = `countersign://workplace/${'x'.repeat(900_000)}`;
    const { error } = await (await session.request('resources/subscribe', { uri })).body();
    expect(error.code).toBe(-32602);
    expect(JSON.stringify(error).length).toBeLessThan(10_000);
  });
});
