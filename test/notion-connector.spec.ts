import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NotionSimulator, type NotionSimulatorOptions } from '../examples/simulators/notion/notion-simulator.js';
import { richText } from '../examples/simulators/notion/notion-workspace.js';
import { CursorExpired, SourcePaused } from '../src/connections/connections.error.js';
import { notionConnector } from '../src/knowledge/notion/notion.connector.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { connectorContract } from './connector-contract.js';
import { documentsContext } from './kit/documents-context.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
const connector = notionConnector({ paceMs: 0, maxWaitMs: 2000, quickWaitMs: 50, retryDelayMs: 1 });
const running: NotionSimulator[] = [];
let notion: NotionSimulator;

async function start(options: NotionSimulatorOptions = {}): Promise<void> {
  notion = await NotionSimulator.start(options);
  running.push(notion);
}
const source = (settings: Record<string, unknown> = {}) =>
  new SourceFixture(connector, {
    outgoing,
    settings: { url: notion.url, ...settings },
    secrets: { token: notion.token },
  });
const reads = () => notion.http.count(/\/children$/);

beforeEach(() => start());
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});
afterAll(() => outgoing.onApplicationShutdown());

describe('contract', () => {
  let other: NotionSimulator;
  let edited: string;
  let removed: string;
  beforeAll(async () => {
    other = await NotionSimulator.start();
    const { workspace } = other;
    const handbook = workspace.addPage('Handbook');
    edited = workspace.addBlock(handbook, 'paragraph', 'Bicycles stand in the yard.');
    removed = workspace.addPage('Old', { under: handbook });
    const tasks = workspace.addDataSource('Tasks', { under: handbook });
    for (let nth = 1; nth <= 3; nth++) workspace.addPage(`Task ${nth}`, { in: tasks });
  });
  afterAll(() => other.stop());

  connectorContract('notion', async () => ({
    kind: connector,
    outgoing,
    settings: { url: other.url },
    secrets: { token: other.token },
    brokenSettings: { url: other.url, groups: [] },
    brokenSecrets: { token: 'ntn_of_somebody_else' },
    change: async () => other.workspace.editBlock(edited, 'Bicycles stand in the cellar.'),
    remove: async () => other.workspace.trash(removed),
  }));
});

describe('verification', () => {
  it('names the readers of the pages, with and without groups', async () => {
    notion.workspace.addPage('Handbook');
    expect(await source().verify()).toMatchObject({
      status: 'connected',
      reason: expect.stringContaining('no groups are chosen: everyone who may use a configuration'),
    });
    expect(await source({ groups: ['Staff'] }).verify()).toMatchObject({
      status: 'connected',
      reason: expect.stringContaining('the members of the chosen groups find everything'),
    });
  });

  it('explains that nothing is shared, a missing capability, and a revoked secret', async () => {
    notion.workspace.addPage('Private', { isShared: false });
    expect(await source().verify()).toMatchObject({
      status: 'limited',
      reason: expect.stringContaining('Nothing is shared'),
    });
    notion.capabilities.content = false;
    expect(await source().verify()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('"Read content"'),
    });
    notion.isTokenRevoked = true;
    await expect(source().verify()).rejects.toMatchObject({ fault: 'unauthorized' });
  });
});

describe('documents', () => {
  it('are pages with nested blocks, properties and comments', async () => {
    const { workspace } = notion;
    const ana = workspace.addPerson('Ana');
    const guest = workspace.addPerson('Gil', { isGuest: true });
    const handbook = workspace.addPage('Handbook');
    const page = workspace.addPage('Parking', {
      under: handbook,
      author: ana,
      properties: {
        Status: { type: 'status', status: { name: 'Done' } },
        Tags: { type: 'multi_select', multi_select: [{ name: 'yard' }, { name: 'bike' }] },
        Due: { type: 'date', date: { start: '2026-12-01', end: '2026-12-24' } },
        Key: { type: 'unique_id', unique_id: { prefix: 'PK', number: 7 } },
        Total: { type: 'formula', formula: { type: 'number', number: 3 } },
        Empty: { type: 'number', number: null },
        Later: { type: 'a_type_of_the_future', a_type_of_the_future: { any: 'thing' } },
      },
    });
    workspace.addBlock(page, 'heading_1', 'Where');
    workspace.addBlock(page, 'paragraph', {
      rich_text: [richText('See the '), richText('plan', { href: 'https://acme.example/plan(1)' }), richText('.')],
    });
    const item = workspace.addBlock(page, 'bulleted_list_item', 'Yard');
    workspace.addBlock(item, 'to_do', { rich_text: [richText('Paint')], checked: true });
    workspace.addBlock(page, 'bulleted_list_item', 'Cellar');
    const toggle = workspace.addBlock(page, 'toggle', 'More');
    workspace.addBlock(toggle, 'code', { rich_text: [richText('echo "```"')], language: 'bash' });
    workspace.addBlock(page, 'equation', { expression: 'a^2' });
    const table = workspace.addBlock(page, 'table', { table_width: 2 });
    for (const cells of [
      ['Spot', 'Who'],
      ['1', 'a|b'],
    ])
      workspace.addBlock(table, 'table_row', { cells: cells.map((cell) => [richText(cell)]) });
    workspace.addBlock(page, 'callout', 'Mind the step.');
    workspace.addBlock(page, 'unsupported', {});
    workspace.addBlock(page, 'child_page', { title: 'Elsewhere' });
    workspace.addComment(page, '# Not a heading of the page', guest);

    const documents = await source().documents();
    const document = documents.find(({ externalId }) => externalId === `page/${page}`)!;
    expect(document).toMatchObject({
      title: 'Parking',
      author: 'Ana',
      container: 'Handbook',
      url: `https://www.notion.so/${page.replaceAll('-', '')}`,
      updatedAt: new Date('2026-11-20T10:00:00Z'),
    });
    expect(document.groups).toBeUndefined(); // the connection decides
    expect(document.text).toContain(
      'Status: Done\n\nTags: yard, bike\n\nDue: 2026-12-01 to 2026-12-24\n\nKey: PK-7\n\nTotal: 3\n\n### Where',
    );
    expect(document.text).toContain('See the [plan](https://acme.example/plan%281%29).');
    expect(document.text).toContain('- Yard\n  - [x] Paint\n- Cellar');
    expect(document.text).toContain('More\n\n````bash\necho "```"\n````');
    expect(document.text).toContain('$$\na^2\n$$');
    expect(document.text).toContain('| Spot | Who |\n| --- | --- |\n| 1 | a\\|b |');
    expect(document.text).toContain('> Mind the step.');
    expect(document.text).toContain('Elsewhere');
    expect(document.text).toMatch(/## Comment by a person without a visible name, [\d-]+\n\n### Not a heading/);
    expect(documents.find(({ title }) => title === 'Handbook')!.container).toBe('Acme');
  });

  it('contain synced blocks once, also if their original contains them, and skip those of hidden pages', async () => {
    const { workspace } = notion;
    const home = workspace.addPage('Home');
    const original = workspace.addBlock(home, 'synced_block', { synced_from: null });
    workspace.addBlock(original, 'paragraph', 'Once');
    workspace.addBlock(original, 'synced_block', { synced_from: { type: 'block_id', block_id: original } });
    const hidden = workspace.addPage('Hidden', { isShared: false });
    const secret = workspace.addBlock(hidden, 'synced_block', { synced_from: null });
    workspace.addBlock(secret, 'paragraph', 'Zebrafish');
    workspace.addBlock(home, 'synced_block', { synced_from: { type: 'block_id', block_id: secret } });
    const copies = workspace.addPage('Copies');
    workspace.addBlock(copies, 'synced_block', { synced_from: { type: 'block_id', block_id: original } });
    const documents = await source().documents();
    expect(documents.map(({ text }) => text!.match(/Once/g)?.length)).toEqual([1, 1]);
    expect(JSON.stringify(documents)).not.toContain('Zebrafish');
  });

  it('include rows that search leaves out, and name the container of pages inside blocks', async () => {
    const { workspace } = notion;
    const handbook = workspace.addPage('Handbook');
    const tasks = workspace.addDataSource('Tasks', { under: handbook, description: 'Work to do' });
    const row = workspace.addPage('Row', { in: tasks });
    workspace.hiddenFromSearch.add(row);
    const column = workspace.addBlock(handbook, 'column');
    workspace.addPage('In a column', { under: column });
    const documents = await source().documents();
    const containers = Object.fromEntries(documents.map(({ title, container }) => [title, container]));
    expect(containers).toEqual({ Handbook: 'Acme', Tasks: 'Handbook', Row: 'Tasks', 'In a column': 'Handbook' });
    expect(documents.find(({ title }) => title === 'Tasks')!.text).toContain('Work to do');
  });

  it('work without the capabilities to read comments and people', async () => {
    const { workspace, capabilities } = notion;
    const ana = workspace.addPerson('Ana');
    for (const title of ['One', 'Two']) {
      const page = workspace.addPage(title, { author: ana });
      workspace.addComment(page, 'Zebrafish', ana);
    }
    Object.assign(capabilities, { comments: false, users: false });
    const documents = await source().documents();
    expect(documents.map(({ title, author }) => [title, author]).sort()).toEqual([
      ['One', undefined],
      ['Two', undefined],
    ]);
    expect(JSON.stringify(documents)).not.toContain('Zebrafish');
    expect(notion.http.count(/comments$/)).toBe(1);
  });

  it('are read again only after a change, and again if they change within the same minute', async () => {
    const page = notion.workspace.addPage('Handbook');
    const block = notion.workspace.addBlock(page, 'paragraph', 'One');
    const fingerprints = async () =>
      new Map((await source().documents()).map(({ externalId, fingerprint }) => [externalId, fingerprint]));
    const known = await fingerprints();
    const before = reads();
    expect((await source().walk(null, known)).documents.get(`page/${page}`)!.text).toBeNull();
    expect(reads()).toBe(before);
    const now = new Date();
    notion.workspace.editBlock(block, 'Two', now);
    const recent = (await fingerprints()).get(`page/${page}`)!;
    expect(recent).toMatch(/unsettled$/);
    notion.workspace.editBlock(block, 'Three', new Date(now.getTime() - 300_000));
    expect((await fingerprints()).get(`page/${page}`)).not.toMatch(/unsettled$/);
  });
});

describe('removals', () => {
  it('omit trashed pages with the pages below, and pages that are no longer shared', async () => {
    const { workspace } = notion;
    const handbook = workspace.addPage('Handbook');
    workspace.addPage('Below', { under: handbook });
    const lost = workspace.addPage('Lost');
    workspace.addPage('Stays');
    const titles = async () => (await source().documents()).map(({ title }) => title).sort();
    expect(await titles()).toEqual(['Below', 'Handbook', 'Lost', 'Stays']);
    workspace.trash(handbook);
    workspace.share(lost, false);
    expect(await titles()).toEqual(['Stays']);
  });

  it('omit and remove trashed pages that are still listed', async () => {
    const page = notion.workspace.addPage('Gone', { at: new Date() });
    notion.workspace.trash(page);
    notion.workspace.listsTrash = true;
    expect(await source().ids()).toEqual([]);
    expect((await source().changes({ since: Date.now() })).ids).toEqual([`-page/${page}`]);
  });

  it('do not happen if Notion ends a list early', async () => {
    for (let nth = 0; nth < 5; nth++) notion.workspace.addPage(`Page ${nth}`);
    notion.maxResults = 3;
    const fixture = source();
    expect(await fixture.ids()).toHaveLength(3);
    expect(fixture.pass.skipped.map(({ externalId }) => externalId)).toEqual(['page/', 'data_source/']);
  });

  it('throw if a list is interrupted, announces a page without a cursor, or repeats one', async () => {
    for (let nth = 0; nth < 150; nth++) notion.workspace.addPage(`Page ${nth}`);
    const list = { object: 'list', results: [], has_more: true };
    for (const body of [list, { ...list, next_cursor: null }]) {
      notion.http.faults.add({ kind: 'status', status: 200, body, on: /search$/, after: 1, times: 1 });
      await expect(source().ids()).rejects.toMatchObject({ fault: 'unreadable' });
    }
    notion.http.faults.add({ kind: 'status', status: 200, body: { ...list, next_cursor: 'x' }, on: /search$/ });
    await expect(source().ids()).rejects.toMatchObject({ fault: 'unreadable' });
    notion.http.faults.clear();
    notion.http.faults.add({ kind: 'status', status: 403, body: {}, on: /search$/, after: 2 });
    await expect(source().ids()).rejects.toMatchObject({ fault: 'forbidden' });
  });

  it('do not happen after cut responses, which are requested again', async () => {
    notion.workspace.addPage('Handbook');
    notion.http.faults.add({ kind: 'cut', on: /search$/, times: 1 });
    notion.http.faults.add({ kind: 'half', on: /search$/, after: 1, times: 1 });
    expect(await source().ids()).toHaveLength(1);
  });
});

describe('search that lags behind', () => {
  it('does not hide parents of listed pages', async () => {
    const { workspace } = notion;
    const top = workspace.addPage('Top');
    const middle = workspace.addPage('Middle', { under: top });
    workspace.addPage('Below', { under: middle });
    for (const id of [top, middle]) workspace.hiddenFromSearch.add(id);
    expect((await source().documents()).map(({ title }) => title)).toEqual(['Below', 'Middle', 'Top']);
  });

  it('does not stop the sync with pages that are gone', async () => {
    const gone = notion.workspace.addPage('Gone', { at: new Date('2026-11-19T10:00:00Z') });
    notion.workspace.addPage('Handbook');
    notion.http.faults.add({ kind: 'status', status: 404, body: {}, on: /children$/, times: 1 });
    const pass = await source().walk();
    expect([...pass.documents.values()].map(({ title }) => title)).toEqual(['Handbook']);
    expect(pass.skipped).toEqual([{ externalId: `page/${gone}`, reason: expect.stringContaining('deleted') }]);
  });
});

describe('large pages', () => {
  it('are skipped if a table has too many rows', async () => {
    const { workspace } = notion;
    const page = workspace.addPage('Large');
    const table = workspace.addBlock(page, 'table', { table_width: 1 });
    for (let nth = 0; nth < 20_000; nth++) workspace.addBlock(table, 'table_row', { cells: [[richText('x')]] });
    expect((await source().walk()).skipped).toEqual([
      { externalId: `page/${page}`, reason: 'has more than 20000 blocks' },
    ]);
  });

  it('can contain code with any number of backticks', async () => {
    const { workspace } = notion;
    const code = '` '.repeat(200_000);
    workspace.addBlock(workspace.addPage('Code'), 'code', { rich_text: [richText(code)], language: 'bash' });
    expect((await source().documents())[0].text).toContain(`\n\n\`\`\`bash\n${code}\n\`\`\``);
  });
});

describe('an interrupted pass', () => {
  it('continues among the rows of a database', async () => {
    const tasks = notion.workspace.addDataSource('Tasks');
    for (let nth = 0; nth < 250; nth++) notion.workspace.addPage(`Row ${nth}`, { in: tasks });
    const fixture = source();
    const all = await fixture.ids();
    const rows = fixture.pass.checkpoints.find((one) => one.rows)!;
    const before = notion.http.count(/query$/);
    const rest = await source().ids(rows);
    expect(notion.http.count(/query$/) - before).toBe(2);
    expect(new Set([...all.slice(0, 101), ...rest])).toEqual(new Set(all));
  });

  it('reads the parents that search leaves out before it continues, and not only at its end', async () => {
    const { workspace } = notion;
    const top = workspace.addPage('Top');
    const middle = workspace.addPage('Middle', { under: top });
    for (const id of [top, middle]) workspace.hiddenFromSearch.add(id);
    workspace.addPage('Below', { under: middle, at: new Date('2026-11-19T10:00:00Z') });
    for (let nth = 0; nth < 100; nth++) workspace.addPage(`Page ${nth}`);
    const fixture = source();
    const all = await fixture.ids();
    const rest = await source().ids(fixture.pass.checkpoints.find(({ after }) => after));
    const before = all.slice(0, all.indexOf(rest[0]));
    expect(before).toEqual(expect.arrayContaining([`page/${middle}`, `page/${top}`]));
    expect(new Set([...before, ...rest])).toEqual(new Set(all));
  });

  it('starts again if its cursor is no longer accepted', async () => {
    const tasks = notion.workspace.addDataSource('Tasks');
    for (let nth = 0; nth < 150; nth++) notion.workspace.addPage(`Row ${nth}`, { in: tasks });
    const fixture = source();
    await fixture.ids();
    const { checkpoints } = fixture.pass;
    notion.expireCursors();
    for (const progress of [checkpoints.find(({ rows }) => rows)!, checkpoints.find(({ after }) => after)!])
      await expect(source().ids(progress)).rejects.toThrow(CursorExpired);
  });
});

describe('changes', () => {
  it('are the pages and databases that were edited since, and the overlap', async () => {
    const { workspace } = notion;
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    workspace.addPage('Old', { at: minutesAgo(300) });
    workspace.addPage('Late in search', { at: minutesAgo(25) });
    const tasks = workspace.addDataSource('Tasks', { at: minutesAgo(2) });
    workspace.addPage('Row', { in: tasks, at: minutesAgo(1) });
    const { documents, cursor } = await source().changes({ since: Date.now() });
    expect([...documents.values()].map(({ title }) => title)).toEqual(['Row', 'Tasks', 'Late in search']);
    expect(cursor).toEqual({ since: expect.any(Number) });
  });

  it('start again after an unknown or old cursor', async () => {
    const cursors: JsonObject[] = [{}, { since: Date.now() - 40 * 86_400_000 }];
    for (const cursor of cursors) await expect(source().changes(cursor)).rejects.toThrow(CursorExpired);
  });

  it('follow a complete pass from its start', async () => {
    notion.workspace.addPage('Handbook');
    const before = Date.now();
    const fixture = source();
    await fixture.ids();
    const { since } = fixture.pass.cursor as { since: number };
    expect(since).toBeGreaterThanOrEqual(before);
    expect(since).toBeLessThanOrEqual(Date.now());
  });
});

describe('limits', () => {
  it('wait as long as Notion demands', async () => {
    await start({ limit: 3 });
    notion.workspace.addPage('Handbook');
    expect(await source().documents()).toHaveLength(1);
    expect(notion.http.requests.some(({ status }) => status === 429)).toBe(true);
  });

  it('pause the sync for long waits, also while Notion is overloaded', async () => {
    notion.workspace.addPage('Handbook');
    for (const status of [429, 529]) {
      notion.http.faults.add({ kind: 'status', status, headers: { 'retry-after': '120' }, times: 1 });
      await expect(source().documents()).rejects.toThrow(SourcePaused);
    }
    notion.http.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '120' }, times: 1 });
    expect(await source().verify()).toMatchObject({ status: 'limited', reason: expect.stringContaining('rate limit') });
  });

  it('require a pause between requests', async () => {
    const paced = notionConnector({ paceMs: 3_600_000 });
    const secrets = { token: notion.token };
    const fixture = new SourceFixture(paced, { outgoing, settings: { url: notion.url }, secrets });
    const stop = new AbortController();
    const { documents } = documentsContext(fixture.context(stop.signal));
    const pass = (async () => {
      for await (const document of paced.documents!(documents)) void document;
    })();
    const ended = pass.then(
      () => 'completed',
      () => 'stopped',
    );
    await expect.poll(() => notion.http.requests.length).toBe(1);
    stop.abort();
    expect(await ended).toBe('stopped');
    expect(notion.http.requests).toHaveLength(1);
  });
});

it('never sends the secret to another server', async () => {
  notion.workspace.addPage('Handbook');
  notion.http.faults.add({ kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/v1/users' } });
  await expect(source().documents()).rejects.toMatchObject({ fault: 'unreadable' });
});
