import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import { anAssistant, signIn } from './kit/assistants.js';
import { Governed } from './kit/governed.js';
import type { Product } from './kit/product.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let house: Governed;
let user: Member;
let product: Product;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  house = await Governed.house(server, workplace);
  user = await aUser(house);
  product = await anAssistant(server, house);
}, 60_000);
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const through = async (scope: string): Promise<Rpc> =>
  new Rpc(server.url, (await product.tokens(user, { scope })).access_token);

describe('an assistant that is given the address alone', () => {
  it('signs in and calls a tool', async () => {
    const { client } = await signIn(product, user);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('workplace__list_tickets');
    const answer = await client.callTool({ name: 'workplace__list_tickets', arguments: {} });
    expect(answer.isError).toBe(false);
    expect(answer.content).not.toHaveLength(0);
    await client.close();
  });
});

describe('by hand', () => {
  it('answers', async () => {
    const rpc = await through('api:read');
    const { status, body } = await rpc.call('tools/list');
    expect([status, body.error]).toEqual([200, undefined]);
  });
});
