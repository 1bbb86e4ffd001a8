import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { GroupsService } from '../src/access/groups.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../src/connections/knowledge-source.port.js';
import { nearestPassages as nearestStatement, searchPassages as searchStatement } from '../src/knowledge/search.sql.js';
import { UnreadableDocument } from '../src/connections/connections.error.js';
import { resolveDatabaseAddresses, workConnection } from '../src/platform/database/addresses.js';
import { testMasterKey } from './kit/database.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let lark: Organization;
let knowledge: KnowledgeFixture;
let owner: pg.Client;
/** The script of the next run of a "scripted" source. */
let script: (context: DocumentsContext) => AsyncIterable<SourceDocument>;

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  server.app.get(ConnectorRegistry).register({
    id: 'scripted',
    title: 'Scripted',
    setUp: 'For tests.',
    fields: [{ name: 'script', label: 'Script', type: 'text', required: false, help: '' }],
    offers: ['knowledge'],
    verify: async () => ({ status: 'connected' }),
    documents: (context) => script(context),
  });
  lark = await anOrganization(server, { name: 'Larkmoor' });
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the shape depends on the query
const json = (answer: Response): Promise<any> => answer.json();

let folders = 0;
function newFolder(files: Record<string, string | Buffer> = {}): string {
  const folder = path.join(server.folder, `folder-${++folders}`);
  mkdirSync(folder, { recursive: true });
  write(folder, files);
  return folder;
}
function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
}
let slugs = 0;
async function connectFolder(folder: string, settings: object = {}) {
  const connection = await knowledge.connect({
    kind: 'folder',
    slug: `folder${++slugs}`,
    settings: { path: folder, ...settings },
  });
  await knowledge.startSync(connection.id);
  await knowledge.waitUntilComplete(connection.id);
  return connection;
}
const nothing = { citations: [], passages: [], linked: [], sources: 0, documents: 0, meaning: 'off' };
const document = (externalId: string, content: string, more: Partial<SourceDocument> = {}): SourceDocument => ({
  externalId,
  kind: 'doc',
  title: externalId,
  mediaType: 'text/plain',
  content,
  fingerprint: content,
  ...more,
});

describe('a folder', () => {
  let demo: { id: string; slug: string; status: string };
  beforeAll(async () => {
    const folder = newFolder();
    cpSync('examples/demo-documents', folder, { recursive: true });
    demo = await connectFolder(folder);
  });

  it('is verified when it is saved and synced at once', async () => {
    expect(demo.status).toBe('connected');
    expect(await knowledge.source(demo.id)).toMatchObject({
      state: 'complete',
      seen: 42,
      changed: 42,
      removed: 0,
      problems: [],
      documentCount: 42,
    });
  });

  it('answers a natural-language question with the right passage and its position', async () => {
    const { passages, sources, documents } = await knowledge.search([demo.id], 'How many days of vacation do I have?');
    expect([sources, documents]).toEqual([1, 42]);
    const [best] = passages;
    expect(best).toMatchObject({
      title: 'Working hours and leave',
      heading: 'Vacation',
      source: demo.slug,
      kind: 'doc',
      url: `folder:/${demo.slug}/handbook/working-hours-and-leave.md`,
      position: expect.stringMatching(/^lines \d+–\d+$/),
    });
    expect(best.text).toContain('Everybody has 30 days of vacation a year');
    expect(best.coverage).toBe(1);
    expect(best.highlights.map(([from, to]) => best.snippet.slice(from, to).toLowerCase())).toEqual(
      expect.arrayContaining(['days', 'vacation']),
    );
    expect(passages.map(({ score }) => score)).toEqual(passages.map(({ score }) => score).sort((a, b) => b - a));
  });

  it.each([
    ['How long does it take to charge a Pika 3 from 20 to 80 percent?', 'Pika 3: data sheet', 'page 2', 'doc'],
    ['at which charge does a cart take no new job', 'delivery-scheduler.ts', /^lines? /, 'code'],
    ['What changed for convoys?', 'Moss 5: what is new', /^lines? /, 'doc'],
    ['one_delivery_per_cart', 'fleet-schema.sql', /^lines? /, 'code'],
    [
      'Which alert says that the primary of Moss is down',
      'Runbook: fail over Moss to the other region',
      /^lines? /,
      'doc',
    ],
  ])('finds %j', async (question, title, position, kind) => {
    const [best] = (await knowledge.search([demo.id], question)).passages;
    expect(best).toMatchObject({ title, kind });
    expect(best.position).toMatch(position);
  });

  it('keeps code and tables whole', async () => {
    const [best] = (await knowledge.search([demo.id], 'verify webhook signature timingSafeEqual')).passages;
    expect(best.text).toMatch(/```ts\n.*export function isGenuine.*\n}\n```/s);
  });

  it('shows by a low coverage that it has no answer', async () => {
    const { passages } = await knowledge.search([demo.id], 'Who won the chess championship in Reykjavik?');
    for (const { coverage } of passages) expect(coverage).toBeLessThan(0.4);
    expect((await knowledge.call('search', [demo.id], { query: 'zyzzyva' })).content).toEqual([
      { type: 'text', text: 'Nothing found in 42 documents of 1 sources.' },
    ]);
  });

  it('can be searched by kind', async () => {
    const { passages, documents } = await knowledge.search([demo.id], 'delivery cart charge', { kind: 'code' });
    expect(new Set(passages.map(({ kind }) => kind))).toEqual(new Set(['code']));
    expect(documents).toBe(5);
  });

  it('returns a document from the beginning or from a passage', async () => {
    const [best] = (await knowledge.search([demo.id], 'rotation on-call pay page')).passages;
    const { structured, outside, content } = await knowledge.call('read', [demo.id], { documentId: best.documentId });
    expect(structured).toMatchObject({ title: 'On-call', next: null });
    expect((structured as { text: string }).text).toMatch(/## Who and when\n\nThree rotations.*## Pay\n\n/s);
    expect(outside).toBe(true);
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^On-call \(folder/) }]);
    const rest = await knowledge.call('read', [demo.id], { documentId: best.documentId, from: 2 });
    expect((rest.structured as { text: string }).text).not.toContain('Three rotations');
  });

  it('is not searched outside of the bundle', async () => {
    expect(await knowledge.search([], 'vacation')).toEqual(nothing);
    const [best] = (await knowledge.search([demo.id], 'vacation')).passages;
    expect(await knowledge.call('read', [], { documentId: best.documentId })).toMatchObject({
      isError: true,
      outside: false,
    });
  });
});

describe('a sync', () => {
  it('indexes changes, deletes missing documents and leaves the rest unchanged', async () => {
    const folder = newFolder({ 'a.md': '# A\n\nalpha', 'b.md': '# B\n\nbeta', 'c.md': '# C\n\ngamma' });
    const { id } = await connectFolder(folder);
    const listed = async () =>
      (
        await knowledge.request(
          'query ($id: ID!) { knowledgeDocuments(connectionId: $id) { nodes { id externalId indexedAt } totalCount } }',
          { id },
        )
      ).data.knowledgeDocuments.nodes;
    const before = await listed();
    expect(await knowledge.sync(id)).toMatchObject({ seen: 3, changed: 0, removed: 0 });

    write(folder, { 'b.md': '# B\n\nbeta is delta now', 'd.md': '# D\n\nnew' });
    rmSync(path.join(folder, 'c.md'));
    expect(await knowledge.sync(id)).toMatchObject({ seen: 3, changed: 2, removed: 1, documentCount: 3 });

    const after = await listed();
    expect(after.map((each: { externalId: string }) => each.externalId)).toEqual(['a.md', 'b.md', 'd.md']);
    expect(after[0]).toEqual(before[0]);
    expect(after[1].id).toBe(before[1].id);
    expect((await knowledge.search([id], 'delta')).passages).toHaveLength(1);
    expect((await knowledge.search([id], 'gamma')).passages).toEqual([]);
    const { data } = await knowledge.request('{ auditEvents(kind: "source.synchronized") { nodes { detail } } }');
    expect(data.auditEvents.nodes[0].detail).toEqual({ seen: 3, changed: 2, removed: 1, problems: 0 });
  });

  it('runs again when the settings change', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'first place' }));
    const other = newFolder({ 'b.md': 'second place' });
    expect(await knowledge.update(id, { path: other })).toMatchObject({ changed: 1, removed: 1 });
    expect((await knowledge.search([id], 'second place')).passages).toHaveLength(1);
    expect((await knowledge.search([id], 'first')).passages).toEqual([]);
  });

  it('reports documents that it cannot or may not read, and continues', async () => {
    const secret = newFolder({ 'secret.md': 'the plan of the other folder' });
    const folder = newFolder({
      'good.md': 'readable',
      'late.pdf': '%PDF-1.7 rubbish',
      'binary.txt': Buffer.from([1, 0, 2]),
      'huge.md': '',
      '.env': 'PASSWORD=hunter2',
      '.git/config': 'hidden',
      '.gitignore': 'ignored/\n*.tmp.md\n!keep.tmp.md\n',
      'ignored/x.md': 'ignored text',
      'y.tmp.md': 'ignored text',
      'keep.tmp.md': 'kept text',
      'node_modules/pkg/readme.md': 'dependency text',
      'picture.png': Buffer.from([137, 80]),
      'package-lock.json': '{"generated": "text"}',
      'sub/.gitignore': 'z.md\n',
      'sub/z.md': 'ignored text',
    });
    truncateSync(path.join(folder, 'huge.md'), 3 * 2 ** 20);
    symlinkSync(path.join(secret, 'secret.md'), path.join(folder, 'out.md'));
    symlinkSync(secret, path.join(folder, 'out'));
    symlinkSync(folder, path.join(folder, 'loop'));
    symlinkSync('self.md', path.join(folder, 'self.md'));
    symlinkSync('nowhere.md', path.join(folder, 'broken.md'));
    symlinkSync('good.md', path.join(folder, 'inside.md'));
    execFileSync('mkfifo', [path.join(folder, 'pipe.md')]);

    const { id } = await connectFolder(folder);
    const { problems, problemCount, documentCount } = await knowledge.source(id);
    expect(documentCount).toBe(2);
    expect(Object.fromEntries(problems.map(({ externalId, reason }) => [externalId, reason]))).toEqual({
      'binary.txt': 'is not text',
      'broken.md': 'is a broken link',
      'huge.md': 'is too large: 3.0 MiB, the limit is 2.0 MiB',
      'late.pdf': expect.stringMatching(/^is not a readable PDF/),
      out: 'is a link to a target outside of the folder',
      'out.md': 'is a link to a target outside of the folder',
      'pipe.md': 'is not a regular file',
      'self.md': 'is a link to itself',
    });
    expect(problemCount).toBe(8);
    for (const word of ['plan', 'hunter2', 'ignored', 'dependency', 'generated', 'hidden']) {
      expect((await knowledge.search([id], word)).passages).toEqual([]);
    }
  });

  // root can read everything
  (process.getuid?.() === 0 ? it.skip : it)('keeps the documents of a folder that became unreadable', async () => {
    const folder = newFolder({ 'open.md': 'open text', 'closed/a.md': 'closed text' });
    const { id } = await connectFolder(folder);
    execFileSync('chmod', ['000', path.join(folder, 'closed')]);
    const { problems, removed } = await knowledge.sync(id);
    execFileSync('chmod', ['700', path.join(folder, 'closed')]);
    expect(removed).toBe(0);
    expect(problems).toEqual([{ externalId: 'closed/', reason: 'cannot be read: permission denied' }]);
    expect((await knowledge.search([id], 'closed')).passages).toHaveLength(1);
  });

  it.each([
    ['a folder elsewhere', () => '/etc', /outside of the folders that the operator allows/],
    ['a path to a parent folder', () => `${server.folder}/../..`, /outside of the folders that the operator allows/],
    [
      'a link to a target outside',
      () => path.join(newFolder(), 'link'),
      /outside of the folders that the operator allows/,
    ],
    ['a relative path', () => 'docs', /absolute path/],
    ['a missing folder', () => path.join(server.folder, 'missing'), /does not exist on the server/],
    ['a file', () => path.join(newFolder({ 'a.md': '' }), 'a.md'), /a file, not a folder/],
  ])('rejects %s', async (what, place, reason) => {
    const folder = place();
    if (what === 'a link to a target outside') symlinkSync('/etc', folder);
    const { id, status, statusReason } = await knowledge.connect({
      kind: 'folder',
      slug: `folder${++slugs}`,
      settings: { path: folder },
    });
    expect(status).toBe('failed');
    expect(statusReason).toMatch(reason);
    await knowledge.startSync(id);
    expect(await knowledge.until(id, ({ state }) => state === 'failed', 'failed')).toMatchObject({
      failure: expect.stringMatching(reason),
      documentCount: 0,
    });
  });

  it('keeps documents while a source is unavailable, and retries', async () => {
    const folder = newFolder({ 'a.md': 'steady text' });
    const { id } = await connectFolder(folder);
    rmSync(folder, { recursive: true });
    await knowledge.startSync(id);
    expect(await knowledge.until(id, ({ state }) => state === 'failed', 'failed')).toMatchObject({
      failure: 'This folder does not exist on the server.',
    });
    expect((await knowledge.search([id], 'steady')).passages).toHaveLength(1);
    write(folder, { 'b.md': 'steady again' });
    expect(await knowledge.sync(id)).toMatchObject({ failure: null, changed: 1, removed: 1 });
  });

  it('leaves every document either old or new after a failure, and continues with the rest', async () => {
    script = async function* () {
      yield document('one', 'first one');
      yield document('two', 'first two');
    };
    const { id } = await knowledge.connect({ kind: 'scripted', slug: `scripted${++slugs}` });
    await knowledge.startSync(id);
    await knowledge.waitUntilComplete(id);
    script = async function* () {
      yield document('one', 'second one');
      throw new Error('The line went dead.');
    };
    await knowledge.startSync(id);
    expect(await knowledge.until(id, ({ state }) => state === 'failed', 'failed')).toMatchObject({
      failure: 'The line went dead.',
      changed: 1,
      documentCount: 2,
    });
    expect((await knowledge.search([id], 'second')).passages.map(({ title }) => title)).toEqual(['one']);
    expect((await knowledge.search([id], 'first')).passages.map(({ title }) => title)).toEqual(['two']);
    script = async function* () {
      yield document('one', 'second one');
      yield document('two', 'second two');
    };
    expect(await knowledge.sync(id)).toMatchObject({ changed: 1, removed: 0 });
  });

  it('writes nothing after another run has taken over', async () => {
    let go = () => {};
    const started = new Promise<void>((resolve) => {
      script = async function* () {
        const gate = new Promise<void>((open) => (go = open));
        resolve();
        await gate;
        yield document('late', 'written too late');
      };
    });
    const { id } = await knowledge.connect({ kind: 'scripted', slug: `scripted${++slugs}` });
    await knowledge.startSync(id);
    await started;
    expect(await knowledge.source(id)).toMatchObject({ state: 'running' });
    // the process of the run stalls, its lease expires, and another run begins
    script = async function* () {
      yield document('new', 'of the new run');
    };
    await owner.query(`update sources set running_until = now() - interval '1 second' where connection_id = $1`, [id]);
    await knowledge.until(id, ({ state, documentCount }) => state === 'complete' && documentCount === 1, 'complete');
    go();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await knowledge.source(id)).toMatchObject({ state: 'complete', documentCount: 1, changed: 1 });
    expect((await knowledge.search([id], 'late')).passages).toEqual([]);
  });

  it('gives nobody access to a document with unknown groups', async () => {
    script = async function* () {
      yield document('shared', 'shared text', { groups: ['No such group'] });
    };
    const { id } = await knowledge.connect({ kind: 'scripted', slug: `scripted${++slugs}` });
    await knowledge.startSync(id);
    expect(await knowledge.waitUntilComplete(id)).toMatchObject({
      documentCount: 1,
      problems: [{ externalId: 'shared', reason: expect.stringContaining('"No such group"') }],
    });
    expect(await knowledge.search([id], 'shared')).toMatchObject({ passages: [], documents: 0 });
  });

  it('indexes the valid documents of a connector that returns invalid ones', async () => {
    script = async function* ({ skipped }) {
      yield document('good', 'sensible text');
      yield document('bad\0name', 'x');
      yield document('', 'x');
      yield document('song', 'x', { kind: 'song' as 'doc' });
      yield document('picture', 'x', { mediaType: 'image/png' });
      yield document('locked', 'x', { content: () => Promise.reject(new UnreadableDocument('is locked')) });
      yield document('good', 'the same name again');
      yield document('dated', 'dated text', {
        updatedAt: new Date('nonsense'),
        title: 'A\0title',
        url: 'x'.repeat(5000),
      });
      skipped('told', 'for a reason\0 \ud800');
    };
    const { id } = await knowledge.connect({ kind: 'scripted', slug: `scripted${++slugs}` });
    await knowledge.startSync(id);
    const { problems, documentCount } = await knowledge.waitUntilComplete(id);
    expect(documentCount).toBe(2);
    expect(problems.map(({ externalId, reason }) => `${externalId} ${reason}`).sort()).toEqual([
      ' has a name with characters that are not allowed',
      'badname has a name with characters that are not allowed',
      'locked is locked',
      'picture has the unsupported media type image/png',
      'song has the unknown kind "song"',
      'told for a reason \ufffd',
    ]);
    expect((await knowledge.search([id], 'sensible')).passages).toHaveLength(1);
    expect((await knowledge.search([id], 'dated')).passages[0]).toMatchObject({ title: 'Atitle', updatedAt: null });
  });

  it('reads the resources of an MCP server', async () => {
    const workplace = await Workplace.start();
    const { id } = await knowledge.connect({ kind: 'mcp', slug: 'workplace', settings: { url: workplace.url } });
    const source = await knowledge.waitUntilComplete(id);
    await workplace.stop();
    expect(source.documentCount).toBeGreaterThan(3);
    const { data } = await knowledge.request(
      'query ($id: ID!) { knowledgeDocuments(connectionId: $id) { nodes { kind title url } } }',
      { id },
    );
    expect(new Set(data.knowledgeDocuments.nodes.map((each: { kind: string }) => each.kind))).toEqual(
      new Set(['ticket', 'message']),
    );
  });

  const storedRows = async (connectionId: string): Promise<string> => {
    const { rows } = await owner.query<{ n: string }>(
      `select (select count(*) from documents where connection_id = $1) + (select count(*) from index_partitions where connection_id = $1)
            + (select count(*) from sources where connection_id = $1) as n`,
      [connectionId],
    );
    return rows[0].n;
  };

  it('deletes the documents of a connection that was removed while it was paused', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'transient text' }));
    await knowledge.request('mutation ($id: ID!) { pauseConnection(input: { id: $id }) { id } }', { id });
    await owner.query(`update sources set next_at = now(), running_until = null where connection_id = $1`, [id]);
    await knowledge.request('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', { id });
    await expect.poll(() => storedRows(id), { timeout: 120_000 }).toBe('0');
  });

  it('deletes the documents of a removed connection, and search excludes paused ones', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'fleeting text' }));
    await knowledge.request('mutation ($id: ID!) { pauseConnection(input: { id: $id }) { id } }', { id });
    expect(await knowledge.search([id], 'fleeting')).toEqual(nothing);
    await knowledge.request('mutation ($id: ID!) { resumeConnection(input: { id: $id }) { id } }', { id });
    expect((await knowledge.search([id], 'fleeting')).passages).toHaveLength(1);
    await knowledge.request('mutation ($id: ID!) { pauseConnection(input: { id: $id }) { id } }', { id });
    await knowledge.request('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', { id });
    expect((await knowledge.search([id], 'fleeting')).passages).toEqual([]);
    await expect.poll(() => storedRows(id), { timeout: 120_000 }).toBe('0');
    expect(
      (await owner.query('select count(*) as n from postings where chunk_id not in (select id from chunks)')).rows[0].n,
    ).toBe('0');
  });
});

describe('read access', () => {
  let open: { id: string };
  let restricted: { id: string };
  let finance: string;
  const questions = ['salary budget', 'budget of the next year', 'merger', 'salary'];

  beforeAll(async () => {
    finance = (await server.app.get(GroupsService).create(lark.system, 'Finance')).id;
    open = await connectFolder(
      newFolder({ 'a.md': '# Budget\n\nThe budget of the canteen.', 'b.md': '# Other\n\nA salary is paid monthly.' }),
    );
    restricted = await connectFolder(
      newFolder({ 'merger.md': '# Merger\n\nThe merger budget and every salary of the board.' }),
      { groups: ['finance'] },
    );
  });

  it('lets the groups of a restricted document find it', async () => {
    const { passages, documents } = await knowledge.search([open.id, restricted.id], 'merger salary', {
      groups: [finance],
    });
    expect(passages[0].title).toBe('Merger');
    expect(documents).toBe(3);
    const [{ documentId }] = passages;
    expect((await knowledge.call('read', [restricted.id], { documentId }, [finance])).isError).toBe(false);
  });

  it.each([
    ['nobody', []],
    ['others', ['01900000-0000-7000-8000-000000000000']],
  ])('hides it from %s in every count', async (_, groups) => {
    for (const question of questions) {
      const without = await knowledge.search([open.id], question, { groups });
      const withIt = await knowledge.search([open.id, restricted.id], question, { groups });
      const numbers = (found: typeof without) =>
        found.passages.map(({ title, score, coverage, snippet, highlights }) => ({
          title,
          score,
          coverage,
          snippet,
          highlights,
        }));
      expect(numbers(withIt)).toEqual(numbers(without));
      expect(withIt.documents).toBe(2);
    }
    const [{ documentId }] = (await knowledge.search([restricted.id], 'merger', { groups: [finance] })).passages;
    const hidden = await knowledge.call('read', [open.id, restricted.id], { documentId }, groups);
    const missing = await knowledge.call(
      'read',
      [open.id, restricted.id],
      { documentId: '01900000-0000-7000-8000-000000000001' },
      groups,
    );
    expect(hidden).toEqual(missing);
    expect(hidden.isError).toBe(true);
  });

  it('follows a change of the groups with the next sync', async () => {
    const folder = newFolder({ 'a.md': 'movable text' });
    const { id } = await connectFolder(folder);
    expect((await knowledge.search([id], 'movable')).passages).toHaveLength(1);
    expect(await knowledge.update(id, { groups: ['Finance'] })).toMatchObject({ changed: 1 });
    expect(await knowledge.search([id], 'movable')).toMatchObject({ passages: [], documents: 0 });
    expect((await knowledge.search([id], 'movable', { groups: [finance] })).passages).toHaveLength(1);
    const { data } = await knowledge.request(
      'query ($id: ID!) { knowledgeDocuments(connectionId: $id) { nodes { groupIds } } }',
      { id },
    );
    expect(data.knowledgeDocuments.nodes).toEqual([{ groupIds: [finance] }]);
  });

  it('applies a restriction of a connection immediately, before its documents are synced again', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'hasty text' }));
    await owner.query("update sources set running_until = now() + interval '1 hour' where connection_id = $1", [id]); // a long run
    await owner.query(`update connections set settings = settings || '{"groups": ["finance"]}' where id = $1`, [id]);
    expect(await knowledge.search([id], 'hasty')).toEqual(nothing);
    expect((await knowledge.search([id], 'hasty', { groups: [finance] })).passages).toHaveLength(1);
  });

  it('is denied to another organization', async () => {
    const moor = await anOrganization(server);
    const theirs = new KnowledgeFixture(server, moor, await moor.as());
    expect(await theirs.search([open.id], 'budget')).toEqual(nothing);
    const [{ documentId }] = (await knowledge.search([open.id], 'budget')).passages;
    expect((await theirs.call('read', [open.id], { documentId })).isError).toBe(true);
    const answer = await theirs.request(
      `{ knowledgeDocument(id: "${documentId}") { title } knowledgeDocuments(connectionId: "${open.id}") { totalCount } knowledgeSources { connectionId } }`,
    );
    expect(answer.data).toEqual({
      knowledgeDocument: null,
      knowledgeDocuments: { totalCount: 0 },
      knowledgeSources: [],
    });
    const sync = await theirs.request(
      `mutation { syncKnowledgeSource(input: { connectionId: "${open.id}" }) { state } }`,
    );
    expect(sync.code).toBe('source-not-found');
  });
});

describe('pushed documents', () => {
  let key: string;
  let inbox: { id: string };
  const send = (method: string, name: string, body?: unknown, token = key) =>
    fetch(`${server.url}/ingest/documents/${name}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
  const newKey = async (scopes: string[]) =>
    (
      await knowledge.request(
        'mutation ($input: CreateTenantKeyInput!) { createTenantKey(input: $input) { key tenantKey { id } } }',
        { input: { name: 'wiki', scopes } },
      )
    ).data.createTenantKey;
  const events = async () => (await owner.query('select count(*)::int as n from audit_events')).rows[0].n as number;

  beforeAll(async () => {
    key = (await newKey(['documents'])).key;
    inbox = await knowledge.connect({ kind: 'documents', slug: 'inbox' });
  });

  it('can be found as soon as they are accepted, replaced and withdrawn', async () => {
    const page = {
      title: 'Parking',
      mediaType: 'text/markdown',
      content: '# Parking\n\nBicycles stand in the yard.',
      url: 'https://wiki.example/parking',
      updatedAt: '2026-10-01T10:00:00Z',
    };
    const created = await send('PUT', 'inbox/wiki%2Fparking', page);
    expect(created.status).toBe(201);
    const first = await json(created);
    expect(first).toEqual({ id: expect.any(String), externalId: 'wiki/parking', result: 'created', chunks: 1 });
    expect((await knowledge.search([inbox.id], 'bicycles')).passages).toEqual([
      expect.objectContaining({
        title: 'Parking',
        url: 'https://wiki.example/parking',
        updatedAt: '2026-10-01T10:00:00.000Z',
      }),
    ]);

    const again = await send('PUT', 'inbox/wiki%2Fparking', page);
    expect([again.status, await json(again)]).toEqual([200, { ...first, result: 'unchanged' }]);
    const changed = await send('PUT', 'inbox/wiki%2Fparking', { ...page, content: 'Cars stand in the yard.' });
    expect([changed.status, await json(changed)]).toEqual([200, { ...first, result: 'changed' }]);
    expect((await knowledge.search([inbox.id], 'bicycles')).passages).toEqual([]);
    expect(await knowledge.until(inbox.id, () => true, 'known')).toMatchObject({ state: 'pushed', documentCount: 1 });

    expect((await send('DELETE', 'inbox/wiki%2Fparking')).status).toBe(204);
    expect((await knowledge.search([inbox.id], 'cars')).passages).toEqual([]);
    const gone = await send('DELETE', 'inbox/wiki%2Fparking');
    expect([gone.status, (await json(gone)).code]).toEqual([404, 'document-not-found']);
  });

  it('stay consistent with many writers of one document', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        send('PUT', 'inbox/contended', { title: 'T', content: `version ${n} of it` }),
      ),
    );
    for (const { status } of answers) expect([200, 201]).toContain(status);
    const { rows } = await owner.query(
      'select documents, chunks, terms from index_partitions where connection_id = $1',
      [inbox.id],
    );
    expect(rows).toEqual([{ documents: 1, chunks: 1, terms: '4' }]);
    await send('DELETE', 'inbox/contended');
  });

  it('accept a PDF in base64', async () => {
    const { default: fs } = await import('node:fs');
    const contentBase64 = fs.readFileSync('examples/demo-documents/hardware/pika-3-data-sheet.pdf', 'base64');
    expect(
      (await send('PUT', 'inbox/sheet', { title: 'Sheet', mediaType: 'application/pdf', contentBase64 })).status,
    ).toBe(201);
    expect((await knowledge.search([inbox.id], 'narrowest door')).passages[0]).toMatchObject({
      title: 'Sheet',
      position: 'page 1',
    });
  });

  it('are shared with groups by name', async () => {
    const { id } = await server.app.get(GroupsService).create(lark.system, 'Nurses');
    expect(
      (await send('PUT', 'inbox/shift', { title: 'Shift', content: 'night shift plan', groups: ['nurses'] })).status,
    ).toBe(201);
    expect((await knowledge.search([inbox.id], 'night shift')).passages).toEqual([]);
    expect((await knowledge.search([inbox.id], 'night shift', { groups: [id] })).passages).toHaveLength(1);
  });

  const good = { title: 'T', content: 'x' };
  it.each([
    ['no content', { title: 'T' }, ['/content']],
    ['both contents', { ...good, contentBase64: 'eA==' }, ['/content']],
    ['no title', { content: 'x' }, ['/title']],
    ['another kind', { ...good, kind: 'song' }, ['/kind']],
    ['an unsupported media type', { ...good, mediaType: 'image/png' }, ['/mediaType']],
    ['a script as URL', { ...good, url: 'javascript:alert(1)' }, ['/url']],
    ['an invalid date', { ...good, updatedAt: 'yesterday' }, ['/updatedAt']],
    ['an unknown group', { ...good, groups: ['Nobody'] }, ['/groups/0']],
    ['NUL', { ...good, content: 'a\0b' }, ['/content']],
    ['a lone surrogate', '{"title":"T","content":"\\ud800"}', ['/content']],
    ['invalid JSON', '{', ['']],
    ['depth', `${'[['.repeat(40)}${']]'.repeat(40)}`, [expect.any(String)]],
    ['several faults at once', { kind: 'song', url: 'x' }, ['/title', '/kind', '/url']],
  ])('are rejected with %s, and nothing changes', async (_, body, pointers) => {
    const before = await events();
    const answer = await send('PUT', 'inbox/bad', body);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const problem = await json(answer);
    expect(problem).toMatchObject({ code: 'invalid-request', requestId: expect.any(String) });
    expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
    expect(await events()).toBe(before);
  });

  it.each([
    [
      'an unreadable PDF',
      'inbox/x',
      { title: 'T', mediaType: 'application/pdf', contentBase64: 'eA==' },
      422,
      'document-unreadable',
    ],
    ['an unknown source', 'nowhere/x', good, 404, 'source-not-found'],
    ['a source that is synced', 'folder1/x', good, 404, 'source-not-found'],
    ['a control character in its id', 'inbox/a%0Ab', good, 400, 'invalid-request'],
    ['too much content', 'inbox/big', { title: 'T', content: 'x'.repeat(2 ** 20) }, 413, 'too-large'],
  ])('are rejected with %s', async (_, name, body, status, code) => {
    const answer = await send('PUT', name, body);
    expect([answer.status, (await json(answer)).code]).toEqual([status, code]);
  });

  it('accept only JSON', async () => {
    const answer = await fetch(`${server.url}/ingest/documents/inbox/x`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect([answer.status, (await json(answer)).code]).toEqual([415, 'unsupported-media-type']);
  });

  it('require a tenant key with the scope "documents"', async () => {
    for (const token of ['', 'nonsense', `${key.slice(0, -1)}x`])
      expect((await send('PUT', 'inbox/x', good, token)).status).toBe(401);
    const estate = await newKey(['estate']);
    const wrong = await send('PUT', 'inbox/x', good, estate.key);
    expect([wrong.status, (await json(wrong)).code]).toEqual([403, 'forbidden']);
    const revoked = await newKey(['documents']);
    expect((await send('PUT', 'inbox/x', good, revoked.key)).status).toBe(201);
    await knowledge.request(`mutation { revokeTenantKey(input: { tenantKeyId: "${revoked.tenantKey.id}" }) { id } }`);
    expect((await send('DELETE', 'inbox/x', undefined, revoked.key)).status).toBe(401);
    const session = await lark.browser();
    const page = await session.fetch('/ingest/documents/inbox/x', {
      method: 'DELETE',
      headers: { origin: server.url },
    });
    expect(page.status).toBe(401);
    await send('DELETE', 'inbox/x');
  });

  it('are not accessible to another organization', async () => {
    const moor = await anOrganization(server);
    const theirs = new KnowledgeFixture(server, moor, await moor.as());
    await theirs.connect({ kind: 'documents', slug: 'theirs' });
    const answer = await send('PUT', 'theirs/x', good);
    expect([answer.status, (await json(answer)).code]).toEqual([404, 'source-not-found']);
  });

  it('are rejected while their connection is paused', async () => {
    const { id } = await knowledge.connect({ kind: 'documents', slug: 'paused' });
    await knowledge.request('mutation ($id: ID!) { pauseConnection(input: { id: $id }) { id } }', { id });
    expect((await send('PUT', 'paused/x', good)).status).toBe(404);
  });
});

describe('knowledge administration', () => {
  it('shows why a passage ranks', async () => {
    const { id } = await connectFolder(
      newFolder({ 'a.md': '# Cats\n\nCats purr.', 'b.md': '# Dogs\n\nDogs and a cat.' }),
    );
    const { data } = await knowledge.request(
      `query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { sources documents passages { title score coverage highlights why { term idf weight score } } } }`,
      { input: { query: 'why do cats purr', connectionIds: [id] } },
    );
    const { passages, sources, documents } = data.searchKnowledge;
    expect([sources, documents, passages.length]).toEqual([1, 2, 2]);
    expect(passages[0]).toMatchObject({
      title: 'Cats',
      coverage: 1,
      why: [
        { term: 'cat', weight: 4 },
        { term: 'purr', weight: 1 },
      ],
    });
    for (const { score, why } of passages)
      expect(why.reduce((sum: number, { score }: { score: number }) => sum + score, 0)).toBeCloseTo(score, 6);
  });

  it('searches with the administrator’s own groups and records a search as other groups', async () => {
    const group = await server.app.get(GroupsService).create(lark.system, 'Board');
    const { id } = await connectFolder(newFolder({ 'a.md': 'confidential agenda' }), { groups: ['Board'] });
    const look = async (asGroups?: string[]) =>
      (
        await knowledge.request(
          'query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { documents } }',
          {
            input: { query: 'agenda', connectionIds: [id], asGroups },
          },
        )
      ).data.searchKnowledge.documents;
    expect(await look()).toBe(0);
    expect(await look([group.id])).toBe(1);
    const { data } = await knowledge.request(
      '{ auditEvents(kind: "knowledge.searched_as_others") { nodes { detail } } }',
    );
    expect(data.auditEvents.nodes[0].detail).toEqual({ groupIds: [group.id] });
  });

  it('shows the rarity of the words and the document of a passage', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'a gizmo', 'b.md': 'gizmo and sprocket' }));
    const { data } = await knowledge.request(
      `query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) {
        terms { term passages idf } passages { document { externalId connectionId groupIds } } } }`,
      { input: { query: 'the sprocket gizmo unheard', connectionIds: [id] } },
    );
    const { terms, passages } = data.searchKnowledge;
    expect(terms.map(({ passages }: { passages: number }) => passages)).toEqual([1, 2, 0]);
    expect(terms[2].idf).toBeGreaterThan(terms[0].idf);
    expect(passages[0].document).toEqual({ externalId: 'b.md', connectionId: id, groupIds: null });
  });

  it('reads a document in parts and records reading as other groups', async () => {
    const group = await server.app.get(GroupsService).create(lark.system, 'Council');
    const long = Array.from({ length: 90 }, (_, at) => `## Part ${at}\n\nbudget ${'figures '.repeat(60)}`).join('\n\n');
    const { id } = await connectFolder(newFolder({ 'a.md': long }), { groups: ['Council'] });
    const [document] = (
      await knowledge.request('query ($id: ID!) { knowledgeDocuments(connectionId: $id) { nodes { id } } }', { id })
    ).data.knowledgeDocuments.nodes;
    const read = (more: object) =>
      knowledge.request(
        'query ($input: ReadKnowledgeInput!) { readKnowledge(input: $input) { title position text next } }',
        { input: { documentId: document.id, ...more } },
      );
    expect((await read({})).code).toBe('document-not-found');
    const { readKnowledge: first } = (await read({ asGroups: [group.id] })).data;
    expect(first.text).toContain('Part 0');
    const { readKnowledge: second } = (await read({ asGroups: [group.id], from: first.next })).data;
    expect(second.text).not.toContain('Part 0\n');
    const { data } = await knowledge.request('{ auditEvents(kind: "knowledge.read_as_others") { nodes { detail } } }');
    expect(data.auditEvents.nodes[0].detail).toEqual({ groupIds: [group.id], documentId: document.id });
  });

  it('deletes pushed documents, but not documents that a sync would restore', async () => {
    const { id } = await connectFolder(newFolder({ 'a.md': 'stubborn' }));
    const [{ documentId }] = (await knowledge.search([id], 'stubborn')).passages;
    const remove = (document: string) =>
      knowledge.request('mutation ($id: ID!) { deleteDocument(input: { id: $id }) { id } }', { id: document });
    expect((await remove(documentId)).code).toBe('document-returns');
    expect((await remove('01900000-0000-7000-8000-000000000001')).code).toBe('document-not-found');
  });

  it('requires the permission to manage knowledge', async () => {
    const ask = await lark.as(await lark.member());
    const { id } = (await knowledge.request('{ knowledgeSources { connection { id } } }')).data.knowledgeSources[0]
      .connection;
    for (const query of [
      '{ knowledgeSources { state } }',
      `{ knowledgeSource(connectionId: "${id}") { state } }`,
      `{ knowledgeDocuments(connectionId: "${id}") { totalCount } }`,
      `{ knowledgeDocument(id: "${id}") { title } }`,
      '{ searchKnowledge(input: { query: "vacation" }) { documents } }',
      '{ embeddingStatus { model } }',
      `{ readKnowledge(input: { documentId: "${id}" }) { text } }`,
      `mutation { syncKnowledgeSource(input: { connectionId: "${id}" }) { state } }`,
      `mutation { deleteDocument(input: { id: "${id}" }) { id } }`,
    ]) {
      expect([query, (await ask(query)).code]).toEqual([query, 'forbidden']);
    }
  });
});

describe('the index', () => {
  it('is read through its b-tree by the tenant role', async () => {
    const app = new pg.Client(
      workConnection(resolveDatabaseAddresses(server.databaseUrl, testMasterKey).login, 'cs_app'),
    );
    await app.connect();
    try {
      await owner.query('analyze');
      await app.query(`begin; set local app.tenant = '${lark.tenant.id}'; set local enable_seqscan = off`);
      const { rows } = await app.query(`explain (format json) ${searchStatement.text}`, [
        lark.tenant.id,
        [lark.tenant.id],
        [],
        ['vacat'],
        [1],
        [1],
        10,
        null,
      ]);
      const plan = JSON.stringify(rows[0]['QUERY PLAN']);
      expect(plan).toMatch(/"Relation Name":"postings"[^{}]*"Index Cond":"[^"]*tenant_id[^"]*partition_id[^"]*term/);
      const nearest = await app.query(`explain (format json) ${nearestStatement.text}`, [
        lark.tenant.id,
        [lark.tenant.id],
        [],
        lark.tenant.id,
        '10101',
        10,
        null,
      ]);
      expect(JSON.stringify(nearest.rows[0]['QUERY PLAN'])).toMatch(
        /"Relation Name":"passage_vectors"[^{}]*"Index Cond":"[^"]*tenant_id[^"]*partition_id[^"]*space_id/,
      );
    } finally {
      await app.end();
    }
  });
});
