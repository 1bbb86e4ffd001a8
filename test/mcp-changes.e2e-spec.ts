import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '@modelcontextprotocol/client';
import type { Member } from '../src/access/member.entity.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct, signInAssistant } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import type { Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let upstream: McpUpstream;
let news: ReturnType<McpUpstream['serveStateless']>;
let fixture: GateFixture;
let user: Member;
let product: Product;

const belts = 'belts://all';
const tools = ['list_tickets', 'get_ticket', 'list_channels', 'create_ticket'].map((name) => upstreamTool(name));
const resources = [{ uri: belts, name: 'Belts' }];
const prompts = [{ name: 'greet' }];

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  news = upstream.serveStateless({
    tools,
    call: (name) => toolTextResult(name),
    resources: { list: () => ({ resources }), read: (uri) => ({ contents: [{ uri, text: 'B1, B2' }] }) },
    prompts: { list: () => ({ prompts }), get: () => ({ messages: [] }) },
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
    },
  });
  fixture = await GateFixture.create(server, upstream);
  user = await aUser(fixture);
  product = await anAssistantProduct(server, fixture);
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

async function listen(person = user) {
  const { client } = await signInAssistant(product, person);
  const notified = { tools: waiting(), resources: waiting(), prompts: waiting(), belts: waiting() };
  client.setNotificationHandler('notifications/tools/list_changed', notified.tools.done);
  client.setNotificationHandler('notifications/resources/list_changed', notified.resources.done);
  client.setNotificationHandler('notifications/prompts/list_changed', notified.prompts.done);
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    if (params.uri === `countersign://workplace/${belts}`) notified.belts.done();
  });
  const subscription = await client.listen({
    toolsListChanged: true,
    resourcesListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: [`countersign://workplace/${belts}`],
  });
  return { client, subscription, notified };
}
function waiting() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, done: () => resolve() };
}

describe('a listening client', () => {
  it('is notified of new upstream resources and prompts', async () => {
    const { client, notified } = await listen();
    await client.listResources();
    await client.listPrompts();
    resources.push({ uri: 'belts://b3', name: 'B3' });
    prompts.push({ name: 'part' });
    // Repeated until the upstream connection is ready.
    const timer = setInterval(() => {
      news.notify.resourcesChanged();
      news.notify.promptsChanged();
    }, 200);
    await Promise.all([notified.resources.promise, notified.prompts.promise]).finally(() => clearInterval(timer));
    const listed = await client.listResources();
    expect(listed.resources.map(({ uri }) => uri)).toContain('countersign://workplace/belts://b3');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('workplace__part');
    await client.close();
  });

  it('is notified of a subscribed resource by the URI that it knows', async () => {
    const { client, notified } = await listen();
    const timer = setInterval(() => news.notify.resourceUpdated(belts), 200);
    await notified.belts.promise.finally(() => clearInterval(timer));
    await client.close();
  });

  it('is notified when a policy removes a tool, and no longer lists the tool', async () => {
    const { client, subscription, notified } = await listen();
    await fixture.publish('@id("reads") permit (principal, action in Action::"read", resource);');
    await notified.tools.promise;
    expect(await names(client)).toContain('workplace__list_tickets');
    expect(await names(client)).not.toContain('workplace__create_ticket');
    await subscription.close();
  });

  it('is not notified of resources that it may not read', async () => {
    const reads = '@id("reads") permit (principal, action in Action::"read", resource);';
    const read = 'action == Action::"workplace__resources_read", resource)';
    await fixture.publish(
      `${reads} @id("b9") forbid (principal, ${read} when { context.arguments.uri == "belts://b9" };`,
    );
    const { client } = await signInAssistant(product, user);
    const updated: string[] = [];
    const all = waiting();
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      updated.push(uri);
      if (uri.endsWith(belts)) all.done();
    });
    await client.listen({
      resourceSubscriptions: [`countersign://workplace/belts://b9`, `countersign://workplace/${belts}`],
    });
    const notify = () => ['belts://b9', belts].forEach((uri) => news.notify.resourceUpdated(uri));
    const timer = setInterval(notify, 200);
    await all.promise.finally(() => clearInterval(timer));
    await sleep(1000);
    expect(new Set(updated)).toEqual(new Set([`countersign://workplace/${belts}`]));
    // a resource that was readable at the time of the subscription
    await fixture.publish(`${reads} @id("none") forbid (principal, ${read};`);
    // an earlier notification may still be on its way
    const arrivals = async () => {
      const before = updated.length;
      notify();
      await sleep(1000);
      return updated.length - before;
    };
    await expect.poll(arrivals).toBe(0);
    await client.close();
    await fixture.publish(reads);
  });

  it('is notified when a tool is paused', async () => {
    const { client, notified } = await listen();
    const admin = await fixture.principalOf();
    const all = await fixture.get(ToolsService).listOf(admin, fixture.connectionId);
    await fixture.get(ToolsService).pause(admin, all.find(({ upstreamName }) => upstreamName === 'get_ticket')!.id);
    await notified.tools.promise;
    expect(await names(client)).not.toContain('workplace__get_ticket');
    await client.close();
  });

  it('is notified of changes to the configuration', async () => {
    const { client, notified } = await listen();
    await fixture
      .get(ConfigurationsService)
      .update(await fixture.principalOf(), { configurationId: fixture.configurationId, connectionIds: [] });
    await Promise.all([notified.tools.promise, notified.resources.promise, notified.prompts.promise]);
    expect(await names(client)).not.toContain('workplace__list_tickets');
    await client.close();
  });

  it('is disconnected when its user is suspended', async () => {
    const person = await aUser(fixture);
    const { subscription } = await listen(person);
    await fixture.suspend(person);
    await expect(subscription.closed).resolves.toBe('graceful');
  });
});
