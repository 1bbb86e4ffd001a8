import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GithubRepository } from '../examples/simulators/github/github-data.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { documentsContext } from './kit/documents-context.js';
import { GithubFixture, testedGithubConnector, wikiStorage } from './kit/github-fixture.js';

let fixture: GithubFixture;
let handbook: GithubRepository;
beforeEach(async () => {
  fixture = await GithubFixture.start();
  handbook = fixture.github.world.addRepository(fixture.acme, 'handbook', { hasWiki: true });
});
afterEach(() => fixture.stop());

const pageId = (name: string) => `repositories/${handbook.id}/wiki/${name}`;
const write = (pages: Record<string, string | null>) => fixture.github.wikis.write(handbook, pages);
const ids = ({ documents }: { documents: { externalId: string }[] }) => documents.map((one) => one.externalId).sort();
/** The cursor of a pass that checked the wiki earlier. */
const minutesLater = (cursor: JsonObject | null, minutes: number): JsonObject => {
  const later = structuredClone(cursor) as { containers: Record<string, { wikiCheckedAt: string }> };
  later.containers[handbook.id].wikiCheckedAt = new Date(Date.now() - minutes * 60_000).toISOString();
  return later as JsonObject;
};

describe('the wiki of a GitHub repository', () => {
  it('has its pages as documents with the audience of the repository and the address of the page', async () => {
    write({
      'Home.md': '# Welcome\n\nTo the handbook.',
      'Guides/On-call-Rotation.md': 'Swap on *Mondays*.',
      '_Sidebar.md': '[Home](Home)',
      'photo.png': 'x',
    });
    const { documents, skipped } = await fixture.walk();
    expect(ids({ documents })).toEqual([pageId('Guides/On-call-Rotation.md'), pageId('Home.md')]);
    const page = documents.find(({ title }) => title === 'On call Rotation')!;
    expect(page).toMatchObject({
      kind: 'doc',
      container: 'acme/handbook',
      position: 'Guides/On-call-Rotation.md',
      audience: `${new URL(fixture.github.url).host}/repositories/${handbook.id}`,
      text: 'Swap on *Mondays*.',
    });
    expect(page.url).toMatch(new RegExp(`^${fixture.github.url}/acme/handbook/wiki/On-call-Rotation/[0-9a-f]{40}$`));
    expect(skipped).toEqual([]);
  });

  it('is open to exactly the readers of its repository', async () => {
    write({ 'Home.md': 'Text.' });
    fixture.member('stranger');
    const { world } = fixture.github;
    world.setCollaborator(handbook, fixture.member('ada'), 'read');
    const [page] = (await fixture.walk()).documents;
    const roster = await fixture.roster();
    const readers = () =>
      [...roster.accounts.values()].filter(({ id }) => roster.canRead(id, page)).map(({ name }) => name);
    expect(readers().sort()).toEqual(['ada', 'olga']);
  });

  it('has no documents if it is disabled or has no pages', async () => {
    const noPages = await fixture.walk();
    expect(noPages).toMatchObject({ documents: [], skipped: [] });
    expect(fixture.github.wikis.requests).toHaveLength(2);
    write({ 'Home.md': 'Text.' });
    handbook.hasWiki = false;
    const disabled = await fixture.walk();
    expect(disabled).toMatchObject({ documents: [], skipped: [] });
    expect(fixture.github.wikis.requests).toHaveLength(2);
  });

  it('is read with the code, and not if only threads are chosen', async () => {
    write({ 'Home.md': 'Text.' });
    expect(ids(await fixture.walk({ content: 'code' }))).toEqual([pageId('Home.md')]);
    expect(ids(await fixture.walk({ content: 'threads' }))).toEqual([]);
  });

  it('leaves no copy after its repository is no longer read', async () => {
    write({ 'Home.md': 'Text.' });
    const context = fixture.context({ content: 'code' });
    const { tenantId, id } = context.connection;
    const copies = () => readdirSync(path.join(wikiStorage, tenantId, id, 'wikis'));
    const walk = async (settings: Record<string, unknown>) => {
      const { documents } = documentsContext({ ...context, settings: { ...context.settings, ...settings } });
      await Array.fromAsync(testedGithubConnector.documents!(documents));
    };
    await walk({});
    expect(copies()).toEqual([String(handbook.id)]);
    await walk({ containers: [String(fixture.billing.id)] });
    expect(copies()).toEqual([]);
  });

  it('is read with the token of an app', async () => {
    write({ 'Home.md': 'Text.' });
    const { credentials } = fixture.github;
    credentials.install(fixture.acme);
    fixture.secrets.privateKey = credentials.privateKey;
    const walk = await fixture.walk({ access: 'app', appId: String(credentials.appId) });
    expect(ids(walk)).toEqual([pageId('Home.md')]);
  });

  it('keeps its documents and names the reason if the credential may not read it', async () => {
    write({ 'Home.md': 'Text.' });
    fixture.token.permissions.contents = undefined;
    const { documents, skipped } = await fixture.walk({ containers: [String(handbook.id)] });
    expect(documents).toEqual([]);
    expect(skipped).toContainEqual({
      externalId: `repositories/${handbook.id}/wiki/`,
      reason: expect.stringMatching(/^acme\/handbook: wiki: .*403/),
    });
  });

  it('that somebody damaged is skipped, and everything else is read', async () => {
    write({ 'Home.md': 'Text.' });
    const { cursor } = await fixture.walk();
    fixture.github.wikis.damage(handbook);
    const other = fixture.github.world.addRepository(fixture.acme, 'later', { hasWiki: true });
    fixture.github.wikis.write(other, { 'Other.md': 'Text.' });
    const walk = await fixture.walk();
    expect(ids(walk)).toEqual([`repositories/${other.id}/wiki/Other.md`]);
    const skipped = [{ externalId: pageId(''), reason: expect.stringMatching(/^acme\/handbook: wiki: .*damaged/) }];
    expect(walk.skipped).toEqual(skipped);
    fixture.github.world.repositories.delete(other.id);
    expect(await fixture.changes(minutesLater(cursor, 6))).toMatchObject({ documents: [], removed: [], skipped });
  });

  it('fails the pass if the server does not answer, so that no page is removed', async () => {
    write({ 'Home.md': 'Text.' });
    fixture.github.http.intercept = (request, response) => {
      if (!request.url!.includes('.wiki.git')) return false;
      response.writeHead(503).end();
      return true;
    };
    await expect(fixture.walk()).rejects.toThrow('503');
  });
});

describe('a complete pass over a large wiki', () => {
  it('continues after an interruption at the commit at which it began', async () => {
    const names = Array.from({ length: 620 }, (_, at) => `Page-${String(at).padStart(3, '0')}.md`);
    write(Object.fromEntries(names.map((name) => [name, `Text of ${name}.`])));
    const whole = { ...fixture.context({ content: 'code' }), cursor: null, skipped: () => expect.unreachable() };
    const reports = { expects: () => undefined, quota: () => undefined };
    let progress: JsonObject | null = null;
    const stored: string[] = [];
    const read = async (atMost: number): Promise<JsonObject | null> => {
      let cursor: JsonObject | null = null;
      let unsaved: string[] = [];
      const documents = testedGithubConnector.documents!({
        ...whole,
        ...reports,
        progress,
        setCursor: (value) => void (cursor = value),
        checkpoint: async (reached) => {
          progress = structuredClone(reached);
          stored.push(...unsaved);
          unsaved = [];
        },
      });
      let count = 0;
      for await (const { externalId } of documents) {
        if (++count > atMost) return null;
        unsaved.push(externalId);
      }
      return cursor;
    };
    expect(await read(550)).toBeNull();
    expect(stored).toHaveLength(500);
    write({ 'Page-000.md': 'New text.', 'Page-619.md': null });
    const cursor = await read(Infinity);
    expect(stored.sort()).toEqual(names.map(pageId));
    const changes = await fixture.changes(cursor, [{ repository: handbook.id, isWiki: true }], { content: 'code' });
    expect(ids(changes)).toEqual([pageId('Page-000.md')]);
    expect(changes.removed).toEqual([pageId('Page-619.md')]);
  });
});

describe('changes of a wiki', () => {
  const walk = async (): Promise<JsonObject> => minutesLater((await fixture.walk()).cursor, 6);

  it('are new, changed and deleted pages since the last pass', async () => {
    write({ 'Home.md': 'Text.', 'Old.md': 'Text.', 'Same.md': 'Text.' });
    const cursor = await walk();
    write({ 'Home.md': 'New text.', 'Old.md': null, 'Added.md': 'Text.' });
    const changes = await fixture.changes(cursor);
    expect(ids(changes)).toEqual([pageId('Added.md'), pageId('Home.md')]);
    expect(changes.documents.map(({ text }) => text).sort()).toEqual(['New text.', 'Text.']);
    expect(changes.removed).toEqual([pageId('Old.md')]);
    expect(await fixture.changes(minutesLater(changes.cursor, 6))).toMatchObject({ documents: [], removed: [] });
  });

  it('require no complete pass if .gitattributes changes, which has no effect', async () => {
    write({ 'Home.md': 'Text.' });
    const cursor = await walk();
    write({ 'Home.md': 'New text.', '.gitattributes': '*.md linguist-generated' });
    const { documents, removed } = await fixture.changes(cursor);
    expect({ ids: ids({ documents }), removed }).toEqual({ ids: [pageId('Home.md')], removed: [] });
    expect(ids(await fixture.walk())).toEqual([pageId('Home.md')]);
  });

  it('are not looked for after each webhook about something else', async () => {
    write({ 'Home.md': 'Text.' });
    const cursor = await walk();
    const { requests } = fixture.github.wikis;
    const changes = await fixture.changes(cursor);
    const checked = requests.length;
    const again = await fixture.changes(changes.cursor, [{ repository: handbook.id }]);
    expect(requests).toHaveLength(checked);
    write({ 'Home.md': 'New text.' });
    expect(ids(await fixture.changes(again.cursor, [{ repository: handbook.id, isWiki: true }]))).toEqual([
      pageId('Home.md'),
    ]);
  });

  it('include a new wiki that a webhook names, else within an hour', async () => {
    const cursor = await walk();
    const { requests } = fixture.github.wikis;
    const before = requests.length;
    await fixture.changes(cursor);
    expect(requests).toHaveLength(before);
    write({ 'Home.md': 'Text.' });
    const context = fixture.context({}, { webhookSecret: fixture.github.webhookSecret });
    const { hints } = (await testedGithubConnector.receive!(context, fixture.github.deliveries.at(-1)!))!;
    expect(hints).toEqual([{ repository: handbook.id, isWiki: true }]);
    expect(ids(await fixture.changes(cursor, [...hints!]))).toEqual([pageId('Home.md')]);
    expect(ids(await fixture.changes(minutesLater(cursor, 61)))).toEqual([pageId('Home.md')]);
  });

  it.each([
    ['deleted', () => fixture.github.wikis.delete(handbook)],
    ['disabled', () => void (handbook.hasWiki = false)],
  ])('require a complete pass after the wiki was %s, which removes its pages', async (_, remove) => {
    write({ 'Home.md': 'Text.' });
    const cursor = await walk();
    remove();
    await expect(fixture.changes(cursor)).rejects.toMatchObject({ name: 'CursorExpired' });
    expect(await fixture.walk()).toMatchObject({ documents: [], skipped: [] });
  });
});
