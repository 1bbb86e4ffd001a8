import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { OutboundHttpClient } from '../src/platform/http/outbound-http-client.service.js';
import { connectorContract } from './connector-contract.js';
import { AtomFeedServer, type FeedEntry } from './kit/atom-feed-server.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

const connector = path.resolve('examples/connector-rss/connector.ts');
const news = (): FeedEntry[] => [
  { id: 'one', title: 'Carts in Porto', text: 'A hospital in Porto runs forty carts.', at: '2026-10-01T08:00:00Z' },
  { id: 'two', title: 'Convoys', text: 'Carts drive in convoys now.', at: '2026-11-01T08:00:00Z' },
];

let server: TestServer;
let workplace: Workplace;
let atomFeedServer: AtomFeedServer;
beforeAll(async () => {
  server = await testServer({ CONNECTORS: connector });
  workplace = await Workplace.start({ token: 'let-me-in-please' });
  atomFeedServer = await AtomFeedServer.start(news());
});
afterAll(async () => {
  await atomFeedServer.stop();
  await workplace.stop();
  await server.close();
});
const under = (id: string) => ({
  kind: server.app.get(ConnectorRegistry).get(id),
  outgoing: server.app.get(OutboundHttpClient),
});

connectorContract('folder', async () => {
  const folder = path.join(server.folder, 'contract');
  cpSync('examples/demo-documents/handbook', folder, { recursive: true });
  return {
    ...under('folder'),
    settings: { path: folder },
    brokenSettings: { path: path.join(server.folder, 'missing') },
    change: async () => writeFileSync(path.join(folder, 'hiring.md'), '# Hiring\n\nNobody at the moment.'),
    remove: async () => rmSync(path.join(folder, 'glossary.md')),
  };
});

connectorContract('rss', async () => {
  const own = await AtomFeedServer.start(news());
  own.unref();
  return {
    ...under('rss'),
    settings: { url: own.url() },
    brokenSettings: { url: own.url('/page.html') },
    change: async () => void (own.entries[0].text = 'A hospital in Porto runs fifty carts.'),
    remove: async () => void own.entries.pop(),
    calls: { latest: { limit: 1 } },
  };
});

connectorContract('mcp', async () => ({
  ...under('mcp'),
  settings: { url: workplace.url, timeoutSeconds: 5 },
  secrets: { token: 'let-me-in-please' },
  brokenSettings: { url: workplace.url.replace('/mcp', '/nothing'), timeoutSeconds: 5 },
}));

describe('a connector that the operator configured', () => {
  it('is in the catalog, syncs knowledge and executes its tool', async () => {
    const lark = await anOrganization(server);
    const knowledge = new KnowledgeFixture(server, lark, await lark.as());
    const connection = await knowledge.connect({ kind: 'rss', slug: 'news', settings: { url: atomFeedServer.url() } });
    expect(connection).toMatchObject({ status: 'connected', statusReason: null });
    await knowledge.waitUntilComplete(connection.id);
    expect((await knowledge.search([connection.id], 'hospital in Porto')).passages).toEqual([
      expect.objectContaining({ title: 'Carts in Porto', url: 'https://news.example/one', source: 'news' }),
    ]);
    atomFeedServer.entries = [
      { id: 'three', title: 'Only this', text: 'Everything else left the feed.', at: '2026-11-02T08:00:00Z' },
    ];
    expect(await knowledge.sync(connection.id)).toMatchObject({ changed: 1, removed: 2, documentCount: 1 });

    const bundle = { configurationId: newId(), connectionIds: [connection.id] };
    const tool = await server.app.get(ToolsService).find(lark.system, bundle, 'news__latest');
    expect(tool).toMatchObject({ effect: 'write' }); // a connector's own claims count only after confirmation
    const context = {
      principal: lark.system,
      ...bundle,
      readerGroups: [],
      idempotencyKey: newId(),
      signal: new AbortController().signal,
    };
    const { structured, outside } = await server.app.get(ToolsService).execute(context, tool!, { limit: 5 });
    expect(structured).toEqual({
      entries: [{ title: 'Only this', url: 'https://news.example/three', published: '2026-11-02T08:00:00.000Z' }],
    });
    expect(outside).toBe(true);
  });

  it.each([
    ['a page that is not a feed', '/page.html', 'The page at this URL is not an RSS or Atom feed.'],
    ['an address without a page', '/nothing', /responded with 404/],
  ])('explains what is wrong with %s', async (_, at, reason) => {
    const lark = await anOrganization(server);
    const knowledge = new KnowledgeFixture(server, lark, await lark.as());
    const { status, statusReason } = await knowledge.connect({
      kind: 'rss',
      slug: 'news',
      settings: { url: atomFeedServer.url(at) },
    });
    expect(status).toBe('failed');
    expect(statusReason).toMatch(reason);
  });

  it('prevents the server from starting if the file cannot be loaded', async () => {
    const file = path.join(server.folder, 'broken.mjs');
    writeFileSync(file, 'throw new Error("no wiki");');
    await expect(testServer({ CONNECTORS: file })).rejects.toThrow(
      /CONNECTORS: .*broken\.mjs cannot be loaded \(no wiki\)/,
    );
  });

  it('prevents the server from starting if the file is not a connector', async () => {
    const file = path.join(server.folder, 'no-connector.mjs');
    writeFileSync(file, 'export default { id: "No Connector" };');
    await expect(testServer({ CONNECTORS: file })).rejects.toThrow(
      /CONNECTORS: .*no-connector\.mjs is not a connector \(id: .*title: /s,
    );
  });
});
