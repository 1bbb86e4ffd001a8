import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ProtocolError } from '@modelcontextprotocol/server';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { UpstreamCatalogueService } from '../src/connections/upstream-catalogue.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { type McpConnectionRef, McpFixture } from './kit/mcp-fixture.js';
import { type McpUpstream, upstreamTool, type UpstreamFeatures } from './kit/mcp-upstream.js';

let fixture: McpFixture;
let upstream: McpUpstream;
beforeAll(async () => {
  fixture = await McpFixture.start();
  upstream = fixture.upstream;
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const catalogue = () => fixture.get(UpstreamCatalogueService);
const soon = () => AbortSignal.timeout(10_000);
const run = (connection: McpConnectionRef, name: string, args: JsonObject) =>
  fixture.call(connection, name, { args, signal: soon() });

const library: UpstreamFeatures = {
  tools: [upstreamTool('ping')],
  resources: {
    list: () => ({ resources: [{ uri: 'notes://a', name: 'a', icons: [{ src: 'https://tracker.example/a.png' }] }] }),
    templates: () => ({ resourceTemplates: [{ uriTemplate: 'notes://{id}', name: 'note' }] }),
    read: (uri) => {
      if (uri !== 'notes://a') throw new ProtocolError(-32002, 'there is no such note', { uri });
      return { contents: [{ uri, mimeType: 'text/plain', text: 'a note' }] };
    },
  },
  prompts: {
    list: () => ({ prompts: [{ name: 'greet', arguments: [{ name: 'whom', required: true }] }] }),
    get: (name, { whom }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `${name} ${whom}` } }] }),
  },
  complete: () => ({ completion: { values: ['Ada', 'Alan'], total: 2, hasMore: false } }),
};
const eras = [
  ['of today', () => void upstream.serveStateless(library)],
  ['of 2025', () => void upstream.serveSessions(library)],
] as const;

describe.each(eras)('a server %s', (_, offer) => {
  it('has its resources read, its prompts got and its arguments completed as the protocol has it', async () => {
    offer();
    const connection = await fixture.connect();
    await expect(run(connection, 'resources_read', { uri: 'notes://a' })).resolves.toMatchObject({
      isError: false,
      outside: true,
      structured: { contents: [{ uri: 'notes://a', mimeType: 'text/plain', text: 'a note' }] },
    });
    await expect(run(connection, 'prompts_get', { name: 'greet', arguments: { whom: 'Ada' } })).resolves.toMatchObject({
      structured: { messages: [{ role: 'user', content: { type: 'text', text: 'greet Ada' } }] },
    });
    const argument = { name: 'whom', value: 'A' };
    await expect(
      run(connection, 'completion_complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument }),
    ).resolves.toMatchObject({ structured: { completion: { values: ['Ada', 'Alan'], total: 2, hasMore: false } } });
  });

  it('that refuses says so by its own code', async () => {
    offer();
    const refused = await run(await fixture.connect(), 'resources_read', { uri: 'notes://b' });
    expect(refused).toMatchObject({ isError: true, content: [{ text: 'there is no such note' }] });
    expect(refused.structured).toMatchObject({ error: { message: 'there is no such note' } });
    expect([-32002, -32602]).toContain((refused.structured as { error: { code: number } }).error.code);
  });

  it('is listed under its own names, without what is nobody’s business', async () => {
    offer();
    const { id } = await fixture.connect();
    await expect(catalogue().resources(fixture.system, id, soon())).resolves.toEqual([{ uri: 'notes://a', name: 'a' }]);
    await expect(catalogue().templates(fixture.system, id, soon())).resolves.toEqual([
      { uriTemplate: 'notes://{id}', name: 'note' },
    ]);
    await expect(catalogue().prompts(fixture.system, id, soon())).resolves.toEqual([
      { name: 'greet', arguments: [{ name: 'whom', required: true }] },
    ]);
  });
});

describe('what the protocol itself defines as reading', () => {
  it('counts as reading from the beginning, and is offered only where the server has it', async () => {
    upstream.serveStateless(library);
    const all = await fixture.listTools(await fixture.connect());
    expect(all.map(({ name, operation, effect }) => [name.split('__')[1], operation, effect])).toEqual([
      ['completion_complete', 'completions', 'read'],
      ['ping', 'tool', 'write'],
      ['prompts_get', 'prompts', 'read'],
      ['resources_read', 'resources', 'read'],
    ]);
    upstream.serveStateless({ tools: [upstreamTool('ping')] });
    expect((await fixture.listTools(await fixture.connect())).map(({ operation }) => operation)).toEqual(['tool']);
  });

  it('cannot be passed off by a tool of that name', async () => {
    upstream.serveStateless({ ...library, tools: [upstreamTool('resources/read'), upstreamTool('resources_read')] });
    const connection = await fixture.connect();
    expect(connection.statusReason).toMatch('resources/read (it is offered twice)');
    const [real, other] = (await fixture.listTools(connection)).filter(({ name }) => name.includes('resources_read'));
    expect([real.operation, other.operation]).toEqual(['resources', 'tool']);
    expect(other.name).not.toBe(real.name);
  });
});

describe('a list', () => {
  it('is asked for once, whoever asks for it at the same time and for a while after', async () => {
    let asked = 0;
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list: () => (asked++, { prompts: [] }) } });
    const { id } = await fixture.connect();
    await Promise.all([1, 2, 3].map(() => catalogue().prompts(fixture.system, id, soon())));
    await catalogue().prompts(fixture.system, id, soon());
    expect(asked).toBe(1);
  });

  it('that could not be had is asked for again', async () => {
    let isBroken = true;
    const list = () => {
      if (isBroken) throw new ProtocolError(-32603, 'not now');
      return { prompts: [{ name: 'greet' }] };
    };
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list } });
    const { id } = await fixture.connect();
    await expect(catalogue().prompts(fixture.system, id, soon())).rejects.toThrow('not now');
    isBroken = false;
    await expect(catalogue().prompts(fixture.system, id, soon())).resolves.toEqual([{ name: 'greet' }]);
  });

  it('that never ends breaks off', async () => {
    const list = () => ({ prompts: [], nextCursor: 'again' });
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list } });
    const { id } = await fixture.connect();
    await expect(catalogue().prompts(fixture.system, id, soon())).rejects.toThrow('again and again');
  });

  it('of a paused connection is empty, and the server is not asked', async () => {
    let asked = 0;
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list: () => (asked++, { prompts: [] }) } });
    const { id } = await fixture.connect();
    await fixture.get(ConnectionsService).pause(fixture.admin, id);
    await expect(catalogue().prompts(fixture.system, id, soon())).resolves.toEqual([]);
    expect(asked).toBe(0);
  });
});
