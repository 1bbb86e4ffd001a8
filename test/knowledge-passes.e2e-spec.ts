import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectorRegistry, type Connector } from '../src/connections/connector-registry.service.js';
import { CursorExpired, SourcePaused, UnreadableDocument } from '../src/connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../src/connections/knowledge-source.port.js';
import { websiteConnector } from '../src/knowledge/website/website.connector.js';
import { IsolationError } from '../src/platform/isolation/isolation.error.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { LocalSite } from './kit/local-site.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let knowledge: KnowledgeFixture;
let listing: (context: DocumentsContext) => AsyncIterable<SourceDocument>;
let changes: (context: ChangesContext) => AsyncIterable<SourceDocument | RemovedDocument>;

const scripted = (id: string, more: Partial<Connector> = {}): Connector => ({
  id,
  title: 'Scripted',
  setUp: 'For tests.',
  fields: [{ name: 'note', label: 'Note', type: 'text', required: false, help: '' }],
  offers: ['knowledge'],
  pullCadence: '1d',
  verify: async () => ({ status: 'connected' }),
  documents: (context) => listing(context),
  ...more,
});

beforeAll(async () => {
  server = await testServer();
  const registry = server.app.get(ConnectorRegistry);
  registry.register(scripted('listed'));
  registry.register(scripted('changing', { changes: (context) => changes(context) }));
  const lark = await anOrganization(server);
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
});
afterAll(() => server.close());

const document = (externalId: string, content = `The text of ${externalId}`): SourceDocument => ({
  externalId,
  kind: 'doc',
  title: externalId,
  mediaType: 'text/plain',
  content,
  fingerprint: content,
});
let slugs = 0;
const connect = (kind: string) => knowledge.connect({ kind, slug: `source${++slugs}` });
const fails = (id: string) => knowledge.until(id, ({ state }) => state === 'failed', 'failed');
const titles = async (id: string) =>
  (await knowledge.search([id], 'text', { limit: 20 })).passages.map(({ title }) => title).sort();

describe('a listing', () => {
  it('continues at its last checkpoint, and does not remove documents that it saw before', async () => {
    listing = async function* ({ progress, checkpoint }) {
      expect(progress).toBeNull();
      yield document('one');
      yield document('two');
      await checkpoint({ page: 1 });
      yield document('three');
      throw new Error('The line went dead.');
    };
    const { id } = await connect('listed');
    await fails(id);
    let began: unknown;
    listing = async function* ({ progress }) {
      began = progress;
      yield document('three');
      yield document('four');
    };
    expect(await knowledge.sync(id)).toMatchObject({ seen: 4, removed: 0, documentCount: 4 });
    expect(began).toEqual({ page: 1 });
    expect(await titles(id)).toEqual(['four', 'one', 'three', 'two']);

    listing = async function* ({ progress }) {
      began = progress;
      yield document('two');
      yield document('four');
    };
    expect(await knowledge.sync(id)).toMatchObject({ seen: 2, removed: 2, documentCount: 2 });
    expect(began).toBeNull();
  });

  it('stores everything that was yielded before a checkpoint resolves', async () => {
    let atCheckpoint: string[] = [];
    listing = async function* ({ checkpoint }) {
      for (let number = 0; number < 5; number++) yield document(`page${number}`);
      await checkpoint({});
      atCheckpoint = await titles(id);
    };
    const { id } = await connect('listed');
    await knowledge.waitUntilComplete(id);
    expect(atCheckpoint).toEqual(['page0', 'page1', 'page2', 'page3', 'page4']);
  });

  it('starts again after the settings changed', async () => {
    listing = async function* ({ checkpoint }) {
      yield document('old');
      await checkpoint({ page: 1 });
      throw new Error('The line went dead.');
    };
    const { id } = await connect('listed');
    await fails(id);
    let began: unknown = 'nothing';
    listing = async function* ({ progress }) {
      began = progress;
      yield document('new');
    };
    expect(await knowledge.update(id, { note: 'other' })).toMatchObject({ removed: 1, documentCount: 1 });
    expect(began).toBeNull();
  });

  it('starts again when the source no longer accepts its progress', async () => {
    listing = async function* ({ checkpoint }) {
      yield document('one');
      await checkpoint({ page: 1 });
      throw new Error('The line went dead.');
    };
    const { id } = await connect('listed');
    await fails(id);
    const began: unknown[] = [];
    listing = async function* ({ progress }) {
      began.push(progress);
      if (progress) throw new CursorExpired('The page token expired.');
      yield document('one');
      yield document('two');
    };
    await knowledge.startSync(id);
    expect(await knowledge.waitUntilComplete(id)).toMatchObject({ documentCount: 2, removed: 0, failure: null });
    expect(began).toEqual([{ page: 1 }, null]);
  });

  it('waits without a failure when the source asks for it, and shows the reason', async () => {
    const until = new Date(Date.now() + 3_600_000);
    listing = async function* ({ checkpoint, expects, quota }) {
      expects(3);
      quota({ limit: 5000, remaining: 0, resetAt: until });
      yield document('one');
      await checkpoint({ page: 1 });
      throw new SourcePaused('The hourly quota is used.', until);
    };
    const { id } = await connect('listed');
    const details = async () =>
      (
        await knowledge.request(
          `query ($id: ID!) { knowledgeSource(connectionId: $id) {
            state failure waitReason nextAt expected seen quota { limit remaining resetAt } estimatedEndAt } }`,
          { id },
        )
      ).data.knowledgeSource;
    await expect.poll(async () => (await details())?.state).toBe('limited');
    expect(await details()).toMatchObject({
      failure: null,
      waitReason: 'The hourly quota is used.',
      nextAt: until.toISOString(),
      expected: 3,
      seen: 1,
      quota: { limit: 5000, remaining: 0, resetAt: until.toISOString() },
      estimatedEndAt: null,
    });
    expect(await titles(id)).toEqual(['one']);
    let began: unknown;
    listing = async function* ({ progress }) {
      began = progress;
      yield document('two');
      yield document('three');
    };
    expect(await knowledge.sync(id)).toMatchObject({ seen: 3, removed: 0, documentCount: 3 });
    expect(began).toEqual({ page: 1 });
    expect(await details()).toMatchObject({ state: 'complete', waitReason: null });
  });

  it('is repeated soon if it deferred a document, which keeps its stored version until then', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      yield document('one');
    };
    changes = async function* () {
      throw new Error('A listing was due.');
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    listing = async function* ({ setCursor }) {
      setCursor({ at: 2 });
      const stalls = () => Promise.reject(new IsolationError('read-document', 'stalled'));
      yield { ...document('one'), content: stalls, fingerprint: 'changed' };
    };
    expect(await knowledge.update(id, { note: 'other' })).toMatchObject({ failure: null, documentCount: 1 });
    const { data } = await knowledge.request(
      'query ($id: ID!) { knowledgeSource(connectionId: $id) { finishedAt nextAt problems { externalId reason } } }',
      { id },
    );
    const { finishedAt, nextAt, problems } = data.knowledgeSource;
    expect(problems).toEqual([
      { externalId: 'one', reason: 'is deferred to the next sync because the server is too busy' },
    ]);
    // earlier than the cadence of the connector, which is a day
    expect(Date.parse(nextAt) - Date.parse(finishedAt)).toBeLessThan(12 * 3_600_000);

    listing = async function* ({ setCursor }) {
      setCursor({ at: 3 });
      yield document('one', 'The text of one, by the heron');
    };
    expect(await knowledge.sync(id)).toMatchObject({ failure: null, changed: 1, documentCount: 1 });
    const cursors: unknown[] = [];
    changes = async function* ({ cursor }) {
      cursors.push(cursor);
    };
    await knowledge.sync(id);
    expect(cursors).toEqual([{ at: 3 }]);
  });
});

describe('a deferred document', () => {
  it('is removed if its readers changed, because its stored version has the earlier ones', async () => {
    const stalls = () => Promise.reject(new IsolationError('read-document', 'stalled'));
    listing = async function* () {
      yield { ...document('same'), audience: 'everyone' };
      yield { ...document('restricted'), audience: 'everyone' };
    };
    const { id } = await connect('listed');
    expect(await knowledge.waitUntilComplete(id)).toMatchObject({ documentCount: 2 });
    listing = async function* () {
      yield { ...document('same'), audience: 'everyone', content: stalls, fingerprint: 'changed' };
      yield { ...document('restricted'), audience: 'few', content: stalls };
      yield { ...document('new'), audience: 'few', content: stalls };
    };
    expect(await knowledge.sync(id)).toMatchObject({ failure: null, removed: 1, documentCount: 1 });
  });
});

it('a website with many long addresses is read completely', async () => {
  const paths = Array.from({ length: 600 }, (_, index) => `/docs/${'long-'.repeat(180)}${index}`);
  const site = await LocalSite.start();
  site.sitemap('/docs/sitemap.xml', paths);
  for (const path of paths.slice(0, 30)) site.serve(path, `<h1>Page</h1><p>The text of ${path}</p>`);
  try {
    const kind = { ...websiteConnector({ paceMs: 0 }), id: 'quick-website' };
    server.app.get(ConnectorRegistry).register(kind);
    const settings = { url: `${site.url}/docs/`, maxPages: 5000 };
    const { id } = await knowledge.connect({ kind: kind.id, slug: 'website', settings });
    const ended = await knowledge.until(id, ({ state }) => state === 'complete' || state === 'failed', 'complete');
    expect(ended).toMatchObject({ failure: null, state: 'complete', documentCount: 30 });
  } finally {
    await site.stop();
  }
});

describe('a document with other readers', () => {
  const pauses = () => Promise.reject(new SourcePaused('The quota is used.', new Date(Date.now() + 3_600_000)));
  const isLimited = (id: string) =>
    expect.poll(async () => (await knowledge.source(id)).state as string).toBe('limited');

  it('is hidden from the earlier ones at once, also if the source cannot be read for long', async () => {
    listing = async function* () {
      yield document('first');
      yield document('secret');
      yield document('also secret');
    };
    const { id } = await connect('listed');
    await knowledge.waitUntilComplete(id);
    const ids = async () =>
      (await knowledge.search([id], 'text')).passages.map(({ title, documentId }) => [title, documentId]).sort();
    const before = await ids();
    listing = async function* () {
      yield { ...document('first'), fingerprint: 'changed', content: pauses };
      yield { ...document('secret'), groups: [] };
      yield { ...document('also secret'), groups: [], content: pauses };
    };
    await knowledge.startSync(id);
    await isLimited(id);
    expect(await titles(id)).toEqual(['first']);

    listing = async function* () {
      yield document('first');
      yield document('secret');
      yield document('also secret');
    };
    await knowledge.sync(id);
    expect(await ids()).toEqual(before);
  });

  it('is hidden from the earlier ones if a change of it cannot be read', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      yield document('secret');
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    changes = async function* () {
      yield { ...document('secret'), groups: [], content: pauses };
    };
    await knowledge.startSync(id);
    await isLimited(id);
    expect(await titles(id)).toEqual([]);
  });

  it('is removed at once if it became unreadable, before the listing is complete', async () => {
    listing = async function* () {
      yield document('one');
      yield document('two');
    };
    const { id } = await connect('listed');
    await knowledge.waitUntilComplete(id);
    listing = async function* () {
      const unreadable = () => Promise.reject(new UnreadableDocument('has other readers since it was listed'));
      yield { ...document('one'), fingerprint: 'changed', content: unreadable };
      await pauses();
    };
    await knowledge.startSync(id);
    await isLimited(id);
    expect(await titles(id)).toEqual(['two']);
  });
});

describe('a document whose name ends like a folder', () => {
  const root = 'https://wiki.example/docs/';
  it.each<[string, () => SourceDocument]>([
    [
      'cannot be read',
      () => ({
        ...document(root),
        fingerprint: 'changed',
        content: () => Promise.reject(new UnreadableDocument('is damaged')),
      }),
    ],
    ['is shared with unknown groups', () => ({ ...document(root), groups: ['No such group'] })],
    [
      'is deferred',
      () => ({
        ...document(root),
        fingerprint: 'changed',
        content: () => Promise.reject(new IsolationError('read-document', 'stalled')),
      }),
    ],
  ])('does not prevent the removal of missing documents when it %s', async (_, changed) => {
    listing = async function* () {
      yield document(root);
      yield document(`${root}page`);
    };
    const { id } = await connect('listed');
    expect(await knowledge.waitUntilComplete(id)).toMatchObject({ documentCount: 2 });
    listing = async function* () {
      yield changed();
    };
    expect(await knowledge.sync(id)).toMatchObject({ problemCount: 1 });
    expect(await titles(id)).not.toContain(`${root}page`);
  });
});

describe('changes', () => {
  it('of one document are applied in order, also while an earlier one is still read', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      for (const name of ['slow', 'restored', 'reverted']) yield document(name);
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    const later = (text: string) => () => new Promise<string>((resolve) => setTimeout(() => resolve(text), 500));
    changes = async function* () {
      yield { ...document('slow', 'The text of slow, changed'), content: later('The text of slow, changed') };
      yield { removed: 'restored' };
      yield document('restored');
      yield { ...document('reverted', 'The heron'), content: later('The heron') };
      for (const removed of ['unknown', 'un\0known', 'un\ud83dknown']) yield { removed }; // ends the batch
      yield document('reverted');
    };
    await knowledge.sync(id);
    expect(await titles(id)).toEqual(['restored', 'reverted', 'slow']);
  });

  it('are read while there is a cursor, and all documents are listed when it expires', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      yield document('one');
      yield document('two');
      yield document('three');
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    const cursors: unknown[] = [];
    listing = async function* () {
      throw new Error('Changes were to be read.');
    };
    changes = async function* ({ cursor, setCursor }) {
      cursors.push(cursor);
      yield document('two', 'The text of two, changed');
      yield document('two', 'The text of two, by the heron');
      yield { removed: 'three' };
      yield { removed: 'unknown' };
      yield document('four');
      setCursor({ at: 2 });
    };
    expect(await knowledge.sync(id)).toMatchObject({ seen: 3, changed: 3, removed: 1, documentCount: 3 });
    expect(await titles(id)).toEqual(['four', 'one', 'two']);
    expect((await knowledge.search([id], 'heron')).passages.map(({ title }) => title)).toEqual(['two']);

    changes = async function* ({ cursor }) {
      cursors.push(cursor);
    };
    await knowledge.sync(id);
    await knowledge.sync(id);
    expect(cursors).toEqual([{ at: 1 }, { at: 2 }, { at: 2 }]);

    changes = async function* () {
      throw new CursorExpired('The cursor is too old.');
    };
    listing = async function* ({ setCursor }) {
      setCursor({ at: 3 });
      yield document('five');
    };
    await knowledge.startSync(id);
    await knowledge.until(id, ({ documentCount, state }) => documentCount === 1 && state === 'complete', 'listed');
    expect(await titles(id)).toEqual(['five']);
    changes = async function* ({ cursor }) {
      cursors.push(cursor);
    };
    await knowledge.sync(id);
    expect(cursors.at(-1)).toEqual({ at: 3 });
  });

  it('continue at their last checkpoint', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      yield document('one');
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    changes = async function* ({ checkpoint }) {
      yield document('two');
      await checkpoint({ page: 1 });
      throw new Error('The line went dead.');
    };
    await knowledge.startSync(id);
    await fails(id);
    let began: unknown;
    changes = async function* ({ cursor, progress }) {
      began = { cursor, progress };
      yield document('three');
    };
    expect(await knowledge.sync(id)).toMatchObject({ documentCount: 3, removed: 0 });
    expect(began).toEqual({ cursor: { at: 1 }, progress: { page: 1 } });
  });

  it('are not read with the cursor of earlier settings', async () => {
    listing = async function* ({ setCursor }) {
      setCursor({ at: 1 });
      yield document('one');
    };
    const { id } = await connect('changing');
    await knowledge.waitUntilComplete(id);
    changes = async function* () {
      throw new Error('A listing was due.');
    };
    expect(await knowledge.update(id, { note: 'other' })).toMatchObject({ failure: null, documentCount: 1 });
  });
});
