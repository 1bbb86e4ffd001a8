import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import path from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { everything } from './everything/server.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct, signInAssistant } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let upstream: Awaited<ReturnType<typeof everything>>;
let fixture: GateFixture;
/** Two systems and documents, with connection prefixes. */
let client: Client;
/** One system without a prefix. */
let single: Client;
/** Raw JSON-RPC access to the first configuration. */
let rpc: Rpc;

beforeAll(async () => {
  [server, workplace, upstream] = await Promise.all([
    testServer(),
    Workplace.start(),
    everything({ port: 0, era: 'both' }),
  ]);
  fixture = await GateFixture.create(server, workplace);
  const user = await aUser(fixture);
  const admin = await fixture.principalOf();
  const knowledge = new KnowledgeFixture(server, fixture.organization, await fixture.organization.as());
  const settings = { path: path.resolve('examples/demo-documents/handbook') };
  const handbook = await knowledge.connect({ kind: 'folder', slug: 'handbook', settings });
  await knowledge.waitUntilComplete(handbook.id);
  const fixtures = await fixture.get(ConnectionsService).create(admin, {
    kind: 'mcp',
    name: 'Fixtures',
    slug: 'fixtures',
    settings: { url: upstream.url },
    secrets: {},
  });
  const tools = fixture.get(ToolsService);
  const headed = (await tools.listOf(admin, fixtures.id)).find(
    ({ upstreamName }) => upstreamName === 'test_x_mcp_header',
  )!;
  await tools.confirm(admin, headed.id, 'read', headed.definitionHash);
  const configurations = fixture.get(ConfigurationsService);
  const { groupIds } = await configurations.getBundle(admin, fixture.configurationId);
  await configurations.update(admin, {
    configurationId: fixture.configurationId,
    connectionIds: [fixture.connectionId, handbook.id, fixtures.id],
  });
  const assistant = await anAssistantProduct(server, fixture);
  ({ client } = await signInAssistant(assistant, user));
  rpc = new Rpc(server.url, (await assistant.tokens(user)).access_token);
  const alone = await configurations.create(admin, {
    name: 'Fixtures alone',
    description: '',
    connectionIds: [fixtures.id],
    groupIds,
    unprefixed: true,
  });
  const product = await anAssistantProduct(
    server,
    Object.assign(Object.create(fixture) as GateFixture, { configurationId: alone.id }),
  );
  ({ client: single } = await signInAssistant(product, user));
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), upstream.close()]);
});

describe('resources', () => {
  it('of connected systems are listed and read with the prefix of their connection', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('countersign://fixtures/test://static-text');
    const { contents } = await client.readResource({ uri: 'countersign://fixtures/test://static-text' });
    expect(contents).toMatchObject([{ uri: 'countersign://fixtures/test://static-text', mimeType: 'text/plain' }]);
  });

  it('have their upstream URIs in an unprefixed configuration', async () => {
    const { resources } = await single.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('test://static-binary');
    const { contents } = await single.readResource({ uri: 'test://static-binary' });
    expect(contents).toMatchObject([{ uri: 'test://static-binary', mimeType: 'image/png' }]);
  });

  it('can be read through templates', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'countersign://fixtures/test://template/{id}/data',
      'countersign://knowledge/{documentId}{?from}',
      'countersign://workplace/workplace://channels/{channel}/{id}',
      'countersign://workplace/workplace://tickets/{id}',
    ]);
    const { contents } = await client.readResource({ uri: 'countersign://fixtures/test://template/7/data' });
    expect(contents).toMatchObject([{ uri: 'countersign://fixtures/test://template/7/data' }]);
  });

  it.each([
    'test://static-text',
    'countersign://nowhere/test://static-text',
    'countersign://knowledge/the-handbook',
    `countersign://knowledge/${newId()}`,
    'countersign://fixtures',
  ])('that do not exist all get the same error: %s', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
  });
});

describe('documents', () => {
  it('are listed after upstream resources and read with citation metadata', async () => {
    const { resources } = await client.listResources();
    const ours = resources.filter(({ uri }) => uri.startsWith('countersign://knowledge/'));
    expect(resources.slice(-ours.length)).toEqual(ours);
    const buying = ours.find(({ title }) => /buying/i.test(title ?? ''))!;
    const { contents } = await client.readResource({ uri: buying.uri });
    expect(contents).toMatchObject([
      {
        uri: buying.uri,
        mimeType: 'text/markdown',
        _meta: { 'countersign/citation': { title: buying.title, source: 'handbook' } },
      },
    ]);
  });

  it('are linked in search results', async () => {
    const question = 'How many working days does the security check of new software take?';
    const answer = await client.callTool({ name: 'knowledge__search', arguments: { query: question } });
    const { citations, passages, linked } = answer.structuredContent as {
      citations: { n: number; documentId: string; title: string }[];
      passages: { documentId: string }[];
      linked: { documentId: string }[];
    };
    expect(citations.map(({ documentId }) => documentId)).toEqual(
      [...passages, ...linked].map(({ documentId }) => documentId),
    );
    expect(citations[0]).toMatchObject({ n: 1, source: 'handbook', kind: 'doc', snippet: expect.any(String) });
    const links = answer.content.filter(({ type }) => type === 'resource_link');
    expect(links[0]).toMatchObject({
      uri: `countersign://knowledge/${citations[0].documentId}`,
      title: citations[0].title,
    });
    expect(new Set(links.map((link) => 'uri' in link && link.uri)).size).toBe(links.length);
  });
});

describe('prompts', () => {
  it('are listed and filled in with the prefix of their connection', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('fixtures__test_prompt_with_arguments');
    const { messages } = await client.getPrompt({
      name: 'fixtures__test_prompt_with_arguments',
      arguments: { arg1: 'one', arg2: 'two' },
    });
    expect(JSON.stringify(messages)).toMatch(/one.*two/);
  });

  it('that do not exist get the same error as hidden ones', async () => {
    for (const name of ['fixtures__nothing', 'nothing', 'workplace__greeting'])
      await expect(client.getPrompt({ name })).rejects.toMatchObject({ code: expect.any(Number) });
  });

  it('have their upstream names in an unprefixed configuration', async () => {
    expect((await single.listPrompts()).prompts.map(({ name }) => name)).toContain('test_simple_prompt');
    expect((await single.getPrompt({ name: 'test_simple_prompt' })).messages).toHaveLength(1);
  });
});

describe('completion', () => {
  it('asks the system of the prompt', async () => {
    const argument = { name: 'arg1', value: 'a' };
    const ref = { type: 'ref/prompt' as const, name: 'fixtures__test_prompt_with_arguments' };
    expect(await client.complete({ ref, argument })).toMatchObject({ completion: { values: expect.any(Array) } });
  });

  it('is empty for unknown references', async () => {
    const argument = { name: 'documentId', value: 'a' };
    for (const uri of ['countersign://knowledge/{documentId}{?from}', 'nowhere://{id}'])
      expect(await client.complete({ ref: { type: 'ref/resource', uri }, argument })).toMatchObject({
        completion: { values: [] },
      });
  });
});

describe('tools', () => {
  it('have their upstream names in an unprefixed configuration, except our own tools', async () => {
    const { tools } = await single.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['test_simple_text', 'knowledge__search']));
    expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).sort());
  });

  it('declare an output schema only if no approval is needed, and hints that an administrator confirmed', async () => {
    const { tools } = await client.listTools();
    const of = (name: string) => tools.find((tool) => tool.name === name)!;
    expect(of('knowledge__search').outputSchema).toMatchObject({ required: expect.arrayContaining(['citations']) });
    expect(of('workplace__list_tickets').annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(of('workplace__create_ticket').annotations).toMatchObject({ readOnlyHint: false });
    expect(of('workplace__create_ticket').outputSchema).toBeUndefined();
  });
});

describe('an argument that is repeated in a header', () => {
  const call = (headers: Record<string, string>, name = 'fixtures__test_x_mcp_header') =>
    rpc.call('tools/call', { name, arguments: { region: 'eu-north' } }, { headers });

  it('is accepted if both match, as official clients send them', async () => {
    const { status, body } = await call({ 'mcp-param-region': 'eu-north' });
    expect([status, body.result.content[0].text]).toEqual([200, 'region=eu-north']);
    const answer = await client.callTool({ name: 'fixtures__test_x_mcp_header', arguments: { region: 'Zürich' } });
    expect(answer.content).toMatchObject([{ text: 'region=Zürich' }]);
  });

  it.each([[{}], [{ 'mcp-param-region': 'us-east' }], [{ 'mcp-param-region': '=?base64?ZXU?=' }]])(
    'is rejected with the headers %j',
    async (headers) => {
      const { status, body } = await call(headers as Record<string, string>);
      expect([status, body.error.code, body.id]).toEqual([400, -32020, 1]);
    },
  );
});
