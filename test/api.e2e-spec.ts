import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Member } from '../src/access/member.entity.js';
import { type Api, apiOf, aUser } from './kit/api.js';
import { Governed } from './kit/governed.js';
import { aProduct, type Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let house: Governed;
let product: Product;
let user: Member;
/** May read, and may write. */
let reading: Api;
let writing: Api;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  house = await Governed.house(server, workplace);
  user = await aUser(house);
  product = await aProduct(server, house.organization, { name: 'Line portal' });
  reading = await apiOf(server, house, user, { scope: 'api:read', product });
  writing = await apiOf(server, house, user, { scope: 'api:write', product });
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

let count = 0;
const aTicket = () => ({ arguments: { title: `Gripper ${++count} lets go` } });
const calls = (tool: string) => `/configurations/${house.configurationId}/tools/workplace__${tool}/calls`;

describe('an access token', () => {
  it('stands for the person, through the product', async () => {
    const { tenant } = house.organization;
    expect(await reading.get('/me')).toMatchObject({
      status: 200,
      body: {
        member: { id: user.id, name: user.name, email: user.email },
        organization: { id: tenant.id, name: tenant.name, slug: tenant.slug },
        client: { id: product.id, name: 'Line portal' },
        scopes: ['api:read'],
      },
    });
    expect((await writing.get('/me')).body.scopes).toEqual(['api:read', 'api:write']);
  });
});

describe('tools', () => {
  it('run at once where the policies allow it', async () => {
    const answer = await reading.post(calls('list_tickets'), { arguments: {} });
    expect(answer).toMatchObject({ status: 200, body: { state: 'succeeded', tool: 'workplace__list_tickets' } });
  });

  it('wait for a person where the policies ask for one', async () => {
    const answer = await writing.post(calls('create_ticket'), aTicket());
    expect(answer).toMatchObject({ status: 202, body: { state: 'awaiting_approval' } });
    expect(answer.headers.get('location')).toBe(`${server.url}/v1/calls/${answer.body.id}`);
  });
});
