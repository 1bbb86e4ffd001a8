import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OlderUnauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Member } from '../src/access/member.entity.js';
import { aUser } from './kit/api.js';
import {
  currentSdkClient,
  anAssistantProduct,
  previousSdkClient,
  type Assistant,
  type ClientFactory,
  signInAssistant,
  type CommonMcpClient,
} from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let product: Product;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ MCP_HOLD_SECONDS: '1' }), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  await fixture.publish('@id("all") permit (principal, action, resource);');
  user = await aUser(fixture);
  product = await anAssistantProduct(server, fixture);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const generations: [string, string, ClientFactory<CommonMcpClient>][] = [
  ['the current SDK', '2026-07-28', currentSdkClient('auto') as ClientFactory<CommonMcpClient>],
  ['the current SDK in legacy mode', '2025-11-25', currentSdkClient('legacy') as ClientFactory<CommonMcpClient>],
  ['the previous SDK, which most clients use', '2025-11-25', previousSdkClient],
];

describe.each(generations)('a client with %s', (_, version, makeClient) => {
  it('signs in and calls a tool with only the URL configured', async () => {
    const { client, oauthProvider, ...spoken } = await signInAssistant(product, user, makeClient);
    expect(oauthProvider.requestedScopes).toEqual(['api:read api:write']);
    expect(spoken.version).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('workplace__list_tickets');
    const answer = await client.callTool({ name: 'workplace__list_tickets', arguments: {} });
    expect(answer.isError).toBe(false);
    expect(answer.content).not.toHaveLength(0);
    await client.close();
  });

  it('asks its user for more scope if its token has too little', async () => {
    const assistant = await signInAssistant(product, user, makeClient, 'api:read');
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('workplace__create_ticket');
    const call = ({ client }: Assistant<CommonMcpClient>) =>
      client.callTool({ name: 'workplace__create_ticket', arguments: { title: `For ${version}` } });
    const refused = await call(assistant).catch((error: unknown) => error);
    expect(refused instanceof UnauthorizedError || refused instanceof OlderUnauthorized).toBe(true);
    expect(assistant.oauthProvider.requestedScopes).toEqual(['api:read api:write']);
    await assistant.client.close();
    const reaching = await assistant.reconnect();
    expect(await call(reaching)).toMatchObject({ isError: false });
    await reaching.client.close();
  });
});

describe('a tool with an output schema', () => {
  it.each(generations)('can return a pending approval to %s', async (_, __, makeClient) => {
    await fixture.publish(`
      @id("all") permit (principal, action, resource);
      @id("many") @approval("confirm") permit (principal, action == Action::"knowledge__search", resource)
        when { context.arguments has limit && context.arguments.limit > 5 };`);
    const { client } = await signInAssistant(product, user, makeClient);
    await client.listTools(); // clients remember the output schema
    const search = (limit: number) =>
      client.callTool({ name: 'knowledge__search', arguments: { query: 'grippers', limit } });
    expect(await search(5)).toMatchObject({ isError: false, structuredContent: { passages: [] } });
    expect(JSON.stringify(await search(6))).toMatch(/Pending approval .*\/approvals\//);
    await client.close();
  });
});
