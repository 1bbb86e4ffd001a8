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
  ['with the current protocol', () => void upstream.serveStateless(library)],
  ['with the 2025 protocol', () => void upstream.serveSessions(library)],
] as const;

describe.each(eras)('a server %s', (_, offer) => {
  it('serves resources, prompts and completions in the shapes of the protocol', async () => {
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

  it('returns its own error code when it rejects a request', async () => {
    offer();
    const refused = await run(await fixture.connect(), 'resources_read', { uri: 'notes://b' });
    expect(refused).toMatchObject({ isError: true, content: [{ text: 'there is no such note' }] });
    expect(refused.structured).toMatchObject({ error: { message: 'there is no such note' } });
    expect([-32002, -32602]).toContain((refused.structured as { error: { code: number } }).error.code);
  });

  it('is listed with its own names and without icons', async () => {
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

describe('the read operations of the protocol', () => {
  it('have the effect read from the start and are offered only if the server supports them', async () => {
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

  it('cannot be impersonated by a tool with their name', async () => {
    upstream.serveStateless({ ...library, tools: [upstreamTool('resources/read'), upstreamTool('resources_read')] });
    const connection = await fixture.connect();
    expect(connection.statusReason).toMatch('resources/read (it is listed twice)');
    const [real, other] = (await fixture.listTools(connection)).filter(({ name }) => name.includes('resources_read'));
    expect([real.operation, other.operation]).toEqual(['resources', 'tool']);
    expect(other.name).not.toBe(real.name);
  });
});

describe('a catalog list', () => {
  it('is requested once for concurrent callers and cached for a short time', async () => {
    let asked = 0;
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list: () => (asked++, { prompts: [] }) } });
    const { id } = await fixture.connect();
    await Promise.all([1, 2, 3].map(() => catalogue().prompts(fixture.system, id, soon())));
    await catalogue().prompts(fixture.system, id, soon());
    expect(asked).toBe(1);
  });

  it('is requested again after a failure', async () => {
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

  it('fails if the server repeats a page', async () => {
    const list = () => ({ prompts: [], nextCursor: 'again' });
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list } });
    const { id } = await fixture.connect();
    await expect(catalogue().prompts(fixture.system, id, soon())).rejects.toThrow(
      'returns the same page of prompts repeatedly',
    );
  });

  it('is empty for a paused connection, without a request to the server', async () => {
    let asked = 0;
    upstream.serveStateless({ ...library, prompts: { ...library.prompts!, list: () => (asked++, { prompts: [] }) } });
    const { id } = await fixture.connect();
    await fixture.get(ConnectionsService).pause(fixture.admin, id);
    await expect(catalogue().prompts(fixture.system, id, soon())).resolves.toEqual([]);
    expect(asked).toBe(0);
  });
});
