import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GitlabSimulator } from '../examples/simulators/gitlab/gitlab-simulator.js';
import {
  type GitlabGroup,
  type GitlabProjectData,
  type GitlabVisibility,
  type GitlabWorld,
  levels,
} from '../examples/simulators/gitlab/gitlab-world.js';
import { gitlabConnector } from '../src/knowledge/gitlab/gitlab.connector.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import type { OutboundHttpClient } from '../src/platform/http/outbound-http-client.service.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { SourceFixture } from './kit/source-fixture.js';

let gitlab: GitlabSimulator;
let world: GitlabWorld;
let outgoing: OutboundHttpClient;
let source: SourceFixture;
let handbook: GitlabProjectData;
let acme: GitlabGroup;
beforeEach(async () => {
  gitlab = await GitlabSimulator.start();
  world = gitlab.world;
  outgoing = localOutgoing();
  acme = world.addGroup('acme');
  const owner = world.addUser('olga');
  world.setGroupMember(acme, owner, levels.owner);
  handbook = world.addProject(acme, 'handbook');
  const secrets = { token: gitlab.addToken(owner).value, webhookSecret: gitlab.webhookSecret };
  source = new SourceFixture(gitlabConnector, { outgoing, settings: { url: gitlab.url }, secrets });
});
afterEach(async () => {
  await gitlab.stop();
  await outgoing.onApplicationShutdown();
});

const pageId = (slug: string) => `projects/${handbook.id}/wiki/${slug}`;
const add = (name: string, level: number) => world.setMember(handbook, world.addUser(name), level);
const write = (pages: Record<string, string | null>) => {
  for (const [slug, content] of Object.entries(pages)) world.writeWiki(handbook, slug, content);
};
/** The cursor of a pass that read the wikis six minutes earlier. */
const minutesLater = (cursor: JsonObject | null): JsonObject => {
  const readAt = new Date(Date.now() - 6 * 60_000).toISOString();
  return JSON.parse(JSON.stringify(cursor).replaceAll(/"readAt":"[^"]+"/g, `"readAt":"${readAt}"`)) as JsonObject;
};

describe('the wiki of a GitLab project', () => {
  it('has its pages as documents with the address of the page', async () => {
    write({ home: '# Welcome', 'guides/On-call & pay': 'Swap on *Mondays*.', _sidebar: '[home](home)' });
    const { documents } = await source.walk();
    expect([...documents.keys()].sort()).toEqual([pageId('guides/On-call & pay'), pageId('home')]);
    expect(documents.get(pageId('guides/On-call & pay'))).toMatchObject({
      kind: 'doc',
      title: 'On call & pay',
      container: 'acme/handbook',
      position: 'guides/On-call & pay',
      url: `${gitlab.url}/acme/handbook/-/wikis/guides/On-call%20%26%20pay`,
      audience: `${new URL(gitlab.url).host}/projects/${handbook.id}/wiki`,
      mediaType: 'text/markdown',
      text: 'Swap on *Mondays*.',
    });
  });

  it.each<[GitlabVisibility, 'enabled' | 'private' | 'disabled', string[] | 'everyone']>([
    ['private', 'enabled', ['gina', 'olga', 'rita']],
    ['public', 'enabled', 'everyone'],
    ['public', 'private', ['gina', 'olga', 'rita']],
    ['public', 'disabled', []],
  ])('of a %s project with the level %s has the readers %j', async (visibility, level, readers) => {
    handbook.visibility = visibility;
    handbook.features.wiki = level;
    add('gina', levels.guest);
    add('rita', levels.reporter);
    world.addUser('stranger');
    expect(await source.readersOf('wiki')).toEqual(readers);
  });

  it('has no documents if it is disabled or has no pages', async () => {
    expect((await source.walk()).ids).toEqual([]);
    write({ home: 'Text.' });
    handbook.features.wiki = 'disabled';
    const { ids, skipped } = await source.walk();
    expect({ ids, skipped }).toEqual({ ids: [], skipped: [] });
  });

  it('is read with the code, and not if only threads are chosen', async () => {
    write({ home: 'Text.' });
    source.settings = { ...source.settings, content: 'code' };
    expect((await source.walk()).ids).toEqual([pageId('home')]);
    source.settings = { ...source.settings, content: 'threads' };
    expect((await source.walk()).ids).toEqual([]);
  });

  it('is reported as skipped and keeps its documents if it is too large', async () => {
    write({ home: 'x'.repeat(33 * 2 ** 20) });
    const { ids, skipped } = await source.walk();
    expect(ids).toEqual([]);
    expect(skipped).toEqual([{ externalId: pageId(''), reason: 'acme/handbook: The wiki is too large to be read.' }]);
  });
});

describe('changes of the wiki of a GitLab project', () => {
  it('are new, changed and deleted pages, and nothing if no page changed', async () => {
    write({ home: 'Text.', old: 'Text.', same: 'Text.' });
    const { cursor, documents: before } = await source.walk();
    write({ home: 'New text.', old: null, added: 'Text.' });
    const { documents, removed, cursor: next } = await source.changes(minutesLater(cursor));
    expect(documents.get(pageId('home'))!.text).toBe('New text.');
    expect(documents.has(pageId('added'))).toBe(true);
    expect(documents.get(pageId('same'))!.fingerprint).toBe(before.get(pageId('same'))!.fingerprint);
    expect(removed).toEqual([pageId('old')]);
    expect((await source.changes(minutesLater(next))).ids).toEqual([]);
  });

  it('start early after a webhook about a page', async () => {
    write({ home: 'Text.' });
    const delivery = gitlab.deliveries.findLast(({ body }) => body.includes('wiki_page'))!;
    const { hints } = (await source.receive(delivery))!;
    expect(hints).toEqual([{ project: handbook.id, stage: 'wiki' }]);
    const { cursor } = await source.walk();
    write({ home: 'New text.' });
    expect((await source.changes(cursor!, [...hints!])).ids).toEqual([pageId('home')]);
  });

  it('are not looked for after each webhook about something else', async () => {
    acme.wikiLevel = 'enabled';
    const { cursor } = await source.walk();
    write({ home: 'Text.' });
    acme.wiki.set('home', 'Text.');
    expect((await source.changes(cursor!)).ids).toEqual([]);
    expect((await source.changes(minutesLater(cursor))).ids).toHaveLength(2);
  });
});

describe('the wiki of a GitLab group', () => {
  const groupPage = (slug: string, group = acme) => `groups/${group.id}/wiki/${slug}`;
  beforeEach(() => {
    acme.wikiLevel = 'enabled';
    acme.wiki.set('home', 'Text.');
  });

  it('has its pages as documents, unless projects are chosen or groups have no wikis', async () => {
    const { documents } = await source.walk();
    expect(documents.get(groupPage('home'))).toMatchObject({
      container: 'acme',
      url: `${gitlab.url}/groups/acme/-/wikis/home`,
      audience: `${new URL(gitlab.url).host}/groups/${acme.id}/wiki`,
      text: 'Text.',
    });
    const { settings } = source;
    source.settings = { ...settings, containers: [String(handbook.id)] };
    expect((await source.walk()).ids).toEqual([]);
    source.settings = { ...settings, content: 'threads' };
    expect((await source.walk()).ids).toEqual([]);
    source.settings = settings;
    acme.wikiLevel = null;
    const { ids, skipped } = await source.walk();
    expect({ ids, skipped }).toEqual({ ids: [], skipped: [] });
  });

  it.each<[GitlabVisibility, 'enabled' | 'private', string[] | 'everyone']>([
    ['private', 'enabled', ['gina', 'olga']],
    ['internal', 'enabled', ['gina', 'olga']],
    ['public', 'private', ['gina', 'olga']],
    ['public', 'enabled', 'everyone'],
  ])('of a %s group with the level %s has the readers %j', async (visibility, level, readers) => {
    acme.visibility = visibility;
    acme.wikiLevel = level;
    world.setGroupMember(acme, world.addUser('gina'), levels.guest);
    add('perry', levels.owner); // only of a project
    const roster = await source.roster();
    const audience = [...roster.audiences.values()].find(({ id }) => id.endsWith(`/groups/${acme.id}/wiki`))!;
    const names = [...roster.accounts.values()].filter((one) => roster.canRead(one.id, { audience: audience.id }));
    expect(audience.readers === 'everyone' ? 'everyone' : names.map(({ name }) => name).sort()).toEqual(readers);
  });

  it('changes with its pages, and loses them with the group', async () => {
    const other = world.addGroup('other');
    world.setGroupMember(other, [...world.users.values()][0], levels.owner);
    other.wikiLevel = 'enabled';
    other.wiki.set('home', 'Text.');
    acme.wiki.set('old', 'Text.');
    const { cursor } = await source.walk();
    acme.wiki.set('home', 'New text.');
    acme.wiki.delete('old');
    world.groups.delete(other.id);
    const { documents, removed, cursor: next } = await source.changes(minutesLater(cursor));
    expect(documents.get(groupPage('home'))!.text).toBe('New text.');
    expect(removed.sort()).toEqual([groupPage('home', other), groupPage('old')].sort());
    expect((await source.changes(minutesLater(next))).ids).toEqual([]);
  });
});
