import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inputRequired, ProtocolError } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import { NotSent, UnreadableDocument } from '../src/connections/connections.error.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolDiscoveryService } from '../src/connections/tool-discovery.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { type McpConnectionRef, McpFixture } from './kit/mcp-fixture.js';
import { McpUpstream, upstreamTool } from './kit/mcp-upstream.js';
import { runSql } from './kit/run-sql.js';
import { documentsContext } from './kit/documents-context.js';

let fixture: McpFixture;
let upstream: McpUpstream;
beforeAll(async () => {
  fixture = await McpFixture.start();
  upstream = fixture.upstream;
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const connections = () => fixture.get(ConnectionsService);
const call = (connection: McpConnectionRef, name: string, args: JsonObject = {}) =>
  fixture.call(connection, name, { args });
async function documents(connection: { id: string }) {
  const opened = await connections().open(
    fixture.system,
    await connections().get(fixture.system, connection.id),
    AbortSignal.timeout(10_000),
  );
  const found: SourceDocument[] = [];
  const { documents: context, pass } = documentsContext(opened.context);
  for await (const document of opened.connector.documents!(context)) found.push(document);
  return { found, skipped: pass.skipped.map(({ externalId, reason }) => [externalId, reason]) };
}

describe('a server with sessions of the 2025 protocol', () => {
  it('is called with its own protocol revision', async () => {
    upstream.serveSessions({ tools: [upstreamTool('ping')] });
    const connection = await fixture.connect();
    expect(connection.status).toBe('connected');
    await expect(call(connection, 'ping')).resolves.toMatchObject({ content: [{ text: 'done' }] });
  });

  it('gets a call once, in a new session, after it lost the session', async () => {
    const { forget } = upstream.serveSessions({ tools: [upstreamTool('ping')] });
    const connection = await fixture.connect();
    forget();
    await expect(call(connection, 'ping', { n: 1 })).resolves.toMatchObject({ isError: false });
    expect(upstream.calls).toMatchObject([{ name: 'ping', arguments: { n: 1 } }]);
  });
});

describe('a server that loses its sessions under load', () => {
  it('gets each call once', async () => {
    const { forget } = upstream.serveSessions({ tools: [upstreamTool('ping')] });
    const connection = await fixture.connect();
    forget();
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => call(connection, 'ping', { n })));
    expect(all.every(({ isError }) => !isError)).toBe(true);
    expect(upstream.calls.map(({ arguments: args }) => (args as { n: number }).n).sort((a, b) => a - b)).toEqual([
      ...Array(20).keys(),
    ]);
  });
});

describe('the tools of a server', () => {
  it('get names that every client accepts, and unusable ones are left out and reported', async () => {
    upstream.serveStateless({
      tools: [
        upstreamTool('a.b'),
        upstreamTool('a/b'),
        upstreamTool('ünïcode'),
        upstreamTool('x'.repeat(100)),
        upstreamTool('twice'),
        upstreamTool('twice'),
        upstreamTool('huge', { description: 'x'.repeat(70_000) }),
      ],
    });
    const connection = await fixture.connect();
    expect(connection).toMatchObject({
      status: 'limited',
      statusReason: expect.stringMatching(/twice \(it is listed twice\).*huge \(its definition is larger/),
    });
    const names = (await fixture.listTools(connection)).map(({ name }) => name);
    expect(names).toHaveLength(5);
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const [first] = await fixture.listTools(connection);
    await call(connection, first.name.split('__')[1]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('declare effects that are believed only if they are stronger', async () => {
    upstream.serveStateless({
      tools: [
        upstreamTool('reads', { annotations: { readOnlyHint: true } }),
        upstreamTool('breaks', { annotations: { destructiveHint: true, readOnlyHint: true } }),
      ],
    });
    const effects = (await fixture.listTools(await fixture.connect())).map(({ effect }) => effect);
    expect(effects).toEqual(['destructive', 'write']);
  });

  it('can change: removed ones are not called, new ones appear', async () => {
    upstream.serveStateless({ tools: [upstreamTool('old')] });
    const connection = await fixture.connect();
    upstream.serveStateless({ tools: [upstreamTool('new')] });
    await fixture
      .get(DatabaseService)
      .tenant(fixture.system, (tx) =>
        runSql(tx, `update tools set seen_at = now() - interval '1 hour' where connection_id = $1`, [connection.id]),
      );
    await expect(call(connection, 'old')).rejects.toThrow(NotSent);
    expect(upstream.calls).toEqual([]);
    expect((await fixture.listTools(connection)).map(({ name }) => name)).toEqual([`${connection.slug}__new`]);
  });

  it('are reported as missing if there are none', async () => {
    upstream.serveStateless({ tools: [] });
    await expect(fixture.connect()).resolves.toMatchObject({
      status: 'limited',
      statusReason: expect.stringMatching('no tools'),
    });
  });
});

describe('any sequence of offers and confirmations', () => {
  const names = ['a', 'b', 'c'];
  const offer = fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), version: fc.nat(2) }), {
    selector: ({ name }) => name,
  });
  const step = fc.oneof(fc.record({ offer }), fc.record({ confirm: fc.constantFrom(...names) }));

  it('lets only the first or the confirmed definition of a tool be called', async () => {
    upstream.serveStateless({ tools: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const connection = await fixture.connect();
        const model = new Map<string, { version: number; confirmed: number; isThere: boolean }>();
        for (const each of steps) {
          if ('offer' in each) {
            const tools = each.offer.map(({ name, version }) => ({
              name,
              description: `v${version}`,
              inputSchema: { type: 'object' },
            }));
            await fixture.get(ToolDiscoveryService).save(fixture.system, connection, tools);
            for (const known of model.values()) known.isThere = false;
            for (const { name, version } of each.offer)
              model.set(name, { confirmed: model.get(name)?.confirmed ?? version, version, isThere: true });
          } else {
            const known = (await fixture.get(ToolsService).listOf(fixture.system, connection.id)).find(
              (tool) => tool.upstreamName === each.confirm,
            );
            if (!known || known.goneAt) continue;
            await fixture.get(ToolsService).confirm(fixture.admin, known.id, 'read', known.definitionHash);
            model.get(each.confirm)!.confirmed = model.get(each.confirm)!.version;
          }
          const seen = (await fixture.listTools(connection)).map(({ name, description, isPendingReview }) => ({
            name: name.split('__')[1],
            description,
            isPendingReview,
          }));
          const expected = names.flatMap((name) => {
            const tool = model.get(name);
            return tool?.isThere
              ? [{ name, description: `v${tool.version}`, isPendingReview: tool.version !== tool.confirmed }]
              : [];
          });
          expect(seen).toEqual(expected);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('a call', () => {
  it('fails with the server’s own message if the server answers with a protocol error', async () => {
    upstream.serveStateless({
      tools: [upstreamTool('odd')],
      call: () => {
        throw new ProtocolError(-32603, 'the ledger is closed on Sundays');
      },
    });
    await expect(call(await fixture.connect(), 'odd')).resolves.toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('closed on Sundays') }],
    });
  });

  it('carries the credential only in the configured header', async () => {
    upstream.serveStateless({ tools: [upstreamTool('ping')] });
    await call(await fixture.connect({ header: 'X-Api-Key' }, { token: 'sesame' }), 'ping');
    const last = upstream.requests.at(-1)!;
    expect(last.headers).toMatchObject({ 'x-api-key': 'sesame' });
    expect(last.headers.authorization).toBeUndefined();
    expect(last.url).not.toContain('sesame');
  });

  it('does not follow a redirect to another origin or a forbidden address', async () => {
    const elsewhere = await McpUpstream.start();
    elsewhere.serveStateless({ tools: [upstreamTool('ping')] });
    const { origin } = elsewhere;
    for (const location of [`${origin.replace('127.0.0.1', 'localhost')}/mcp`, 'http://169.254.169.254/mcp']) {
      upstream.handler = (_req, res) => void res.writeHead(307, { location }).end();
      await expect(fixture.connect({}, { token: 'sesame' })).resolves.toMatchObject({ status: 'failed' });
    }
    expect(elsewhere.requests).toEqual([]);
    elsewhere.stop();
  });
});

describe('a tool that asks a question', () => {
  it('fails if no one can answer', async () => {
    upstream.serveStateless({
      tools: [upstreamTool('asks')],
      call: () => inputRequired({ inputRequests: {}, requestState: 'x' }) as never,
    });
    const error = await call(await fixture.connect(), 'asks').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotSent);
    expect((error as Error).message).toMatch('further input');
  });
});

describe('resources of a server', () => {
  const page = (...uris: string[]) => uris.map((uri) => ({ uri, name: uri, mimeType: 'text/plain' }));
  const text = (uri: string, content: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: content }] });

  it('are read to detect changes if they have no modification time', async () => {
    let content = 'one';
    upstream.serveStateless({
      resources: { list: () => ({ resources: page('notes://a') }), read: (uri) => text(uri, content) },
    });
    const connection = await fixture.connect();
    const prints = async () => (await documents(connection)).found.map(({ fingerprint }) => fingerprint);
    const before = await prints();
    await expect(prints()).resolves.toEqual(before);
    content = 'two';
    await expect(prints()).resolves.not.toEqual(before);
  });

  it('come from all pages without duplicates, and unreadable ones are reported', async () => {
    const pages: Record<string, object> = {
      '': { resources: page('notes://a', 'notes://b'), nextCursor: '2' },
      '2': {
        resources: [
          ...page('notes://b', 'notes://c'),
          { uri: 'notes://video', name: 'v', mimeType: 'video/mp4' },
          { uri: 'notes://big', name: 'big', size: 9e9 },
        ],
      },
    };
    upstream.serveStateless({
      resources: {
        list: (cursor = '') => pages[cursor],
        read: (uri) => {
          if (uri === 'notes://c') throw new ProtocolError(-32603, 'locked away');
          return text(uri, uri);
        },
      },
    });
    const { found, skipped } = await documents(await fixture.connect());
    expect(found.map(({ externalId }) => externalId)).toEqual(['notes://a', 'notes://b']);
    expect(skipped).toEqual([
      ['notes://c', expect.stringContaining('locked away')],
      ['notes://video', expect.stringContaining('video/mp4')],
      ['notes://big', expect.stringContaining('larger than')],
    ]);
  });

  it('are left out if the server denies a later read', async () => {
    const annotations = { lastModified: '2026-11-01T00:00:00Z' };
    upstream.serveStateless({
      resources: {
        list: () => ({ resources: [{ uri: 'notes://a', name: 'a', annotations }] }),
        read: () => {
          throw new ProtocolError(-32603, 'locked away');
        },
      },
    });
    const { found, skipped } = await documents(await fixture.connect());
    expect(skipped).toEqual([]);
    await expect((found[0].content as () => Promise<string>)()).rejects.toBeInstanceOf(UnreadableDocument);
  });

  it('fail if the server repeats a page', async () => {
    upstream.serveStateless({
      resources: { list: () => ({ resources: [], nextCursor: 'again' }), read: (uri) => text(uri, uri) },
    });
    await expect(documents(await fixture.connect())).rejects.toThrow('returns the same page of resources repeatedly');
  });
});
