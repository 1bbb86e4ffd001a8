import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Member } from '../src/access/member.entity.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { aUser } from './kit/api.js';
import { anAssistant, signIn } from './kit/assistants.js';
import { Governed } from './kit/governed.js';
import type { Product } from './kit/product.js';
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

const listen = async (person = user) => {
  const { client } = await signIn(product, person);
  const heard = Promise.withResolvers<void>();
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.resolve());
  const subscription = await client.listen({ toolsListChanged: true });
  return { client, subscription, heard: heard.promise };
};

describe('an assistant that listens', () => {
  it('hears of a policy that takes a tool away, and lists without it', async () => {
    const { client, subscription, heard } = await listen();
    await house.publish('@id("reads") permit (principal, action in Action::"read", resource);');
    await heard;
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('workplace__list_tickets');
    expect(names).not.toContain('workplace__create_ticket');
    await subscription.close();
  });

  it('hears of a tool that is paused', async () => {
    const { client, heard } = await listen();
    const admin = await house.person();
    const tools = house.get(ToolsService);
    const paused = (await tools.listOf(admin, house.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'get_ticket',
    )!;
    await tools.pause(admin, paused.id);
    await heard;
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('workplace__get_ticket');
    await client.close();
  });

  it('hears of the configuration’s other parts', async () => {
    const { client, heard } = await listen();
    await house
      .get(ConfigurationsService)
      .update(await house.person(), { configurationId: house.configurationId, connectionIds: [] });
    await heard;
    await client.close();
  });

  it('is let go when its person is suspended', async () => {
    const person = await aUser(house);
    const { subscription } = await listen(person);
    await house.suspend(person);
    await expect(subscription.closed).resolves.toBe('graceful');
  });
});
