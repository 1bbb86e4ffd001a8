import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AtlassianPerson } from '../examples/simulators/atlassian/directory.js';
import type { SimulatedPrincipal } from '../examples/simulators/confluence/confluence-site.js';
import type { ConfluenceSimulator } from '../examples/simulators/confluence/simulator.js';
import { confluenceConnector } from '../src/knowledge/confluence/confluence.connector.js';
import { aConfluenceSite, startConfluence } from './kit/confluence-fixture.js';
import { documentsContext } from './kit/documents-context.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
let world: ReturnType<typeof aConfluenceSite>;
let simulator: ConfluenceSimulator;
let source: SourceFixture;

beforeEach(async () => {
  world = aConfluenceSite();
  ({ simulator, source } = await startConfluence(world, outgoing));
});
afterEach(() => simulator.stop());
afterAll(() => outgoing.onApplicationShutdown());

const colleagues = () =>
  [...world.directory.people.values()].filter(({ displayName }) => displayName !== 'Countersign');

/** The names of the people who find each page in Countersign, by title. */
async function finders(): Promise<Record<string, string[]>> {
  const { documents } = await source.walk();
  const roster = await source.roster();
  return Object.fromEntries(
    [...documents.values()].map((document) => [
      document.title,
      colleagues()
        .filter(({ accountId }) => roster.canRead(accountId, document))
        .map(({ displayName }) => displayName),
    ]),
  );
}

/** The names of the people who see each page in Confluence, by title. */
function viewers(): Record<string, string[]> {
  const { site, bot } = world;
  const pages = [...site.contents.values()].filter(
    (content) => content.type !== 'folder' && content.status === 'current' && site.canSee(bot.accountId, content),
  );
  return Object.fromEntries(
    pages.map((page) => [
      page.title,
      colleagues()
        .filter(({ accountId }) => site.canSee(accountId, page))
        .map(({ displayName }) => displayName),
    ]),
  );
}

const user = ({ accountId }: AtlassianPerson): SimulatedPrincipal => ({ type: 'user', id: accountId });

describe('the permissions of a space', () => {
  it('give access only if they are permissions to view the space', async () => {
    const { site, space, asBot, ada, ben, cleo } = world;
    site.setReaders(space, asBot, user(ada));
    space.permissions.push(
      { operation: 'create/page', principal: user(ben) },
      { operation: 'read/page', principal: user(cleo) },
    );
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: ['Ada'] });
    expect(viewers()).toEqual({ Page: ['Ada'] });
  });

  it('of groups give access to their members, and to no one if the group was deleted', async () => {
    const { site, space, asBot, developers } = world;
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: ['Ada', 'Ben'] });
    site.setReaders(space, asBot, { type: 'group', id: developers.groupId.replace('b0', 'dd') });
    expect(await finders()).toEqual({ Page: [] });
  });

  it('of anonymous visitors give everyone access, except to restricted pages', async () => {
    const { site, space, asBot, ada } = world;
    space.isAnonymous = true;
    site.addContent(space, 'Open');
    site.addContent(space, 'Closed', { readers: [asBot, user(ada)] });
    // in Countersign, `everyone` is limited to members whose configuration includes the integration
    const roster = await source.roster();
    expect([...roster.audiences.values()].map(({ readers }) => readers)).toEqual(['everyone', [expect.any(Object)]]);
    const { documents } = await source.walk();
    const [, closed] = documents.values();
    expect([roster.canRead(ada.accountId, closed), roster.canRead(world.ben.accountId, closed)]).toEqual([true, false]);
  });

  it('by roles give access only if the role may view the space', async () => {
    const { site, space, asBot, ada, ben, developers } = world;
    site.roles.set('viewer', ['read/space']).set('creator', ['create/page']);
    site.setReaders(space, asBot);
    space.assignments = [
      { principalType: 'USER', principalId: ada.accountId, roleId: 'viewer' },
      { principalType: 'USER', principalId: world.cleo.accountId, roleId: 'creator' },
    ];
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: ['Ada'] });
    space.assignments.push({ principalType: 'GROUP', principalId: developers.groupId, roleId: 'viewer' });
    expect(await finders()).toEqual({ Page: ['Ada', 'Ben'] });
    expect(viewers()).toEqual(await finders());
    space.assignments = [{ principalType: 'ACCESS_CLASS', principalId: 'all-licensed-users', roleId: 'viewer' }];
    expect(await finders()).toEqual({ Page: [] });
    const [audience] = (await source.roster()).audiences.values();
    expect(audience.rule).toContain('Not included: all licensed users.');
    expect(ben.isActive).toBe(true);
  });

  it('that the account cannot read give no access', async () => {
    const { site, space } = world;
    space.hidesPermissions = true;
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: [] });
    const [audience] = (await source.roster()).audiences.values();
    expect(audience).toMatchObject({
      readers: 'unreadable',
      rule: expect.stringContaining('cannot read the permissions'),
    });
  });
});

describe('a restriction', () => {
  it('of every page on the path to the root narrows the readers', async () => {
    const { site, space, asBot, ada, ben, cleo } = world;
    const top = site.addContent(space, 'Top', { readers: [asBot, user(ada), user(cleo)] });
    const middle = site.addContent(space, 'Middle', { parentId: top.id });
    const low = site.addContent(space, 'Low', { parentId: middle.id, readers: [asBot, user(ada), user(ben)] });
    site.addContent(space, 'Bottom', { parentId: low.id });
    site.addContent(space, 'For Ben', { parentId: low.id, readers: [asBot, user(ben)] });
    site.addContent(space, 'Beside');
    expect(await finders()).toEqual({
      Top: ['Ada'],
      Middle: ['Ada'],
      Low: ['Ada'],
      Bottom: ['Ada'],
      'For Ben': [],
      Beside: ['Ada', 'Ben'],
    });
    expect(await finders()).toEqual(viewers());
  });

  it('with empty lists has no effect', async () => {
    const { site, space } = world;
    site.addContent(space, 'Page', { readers: [] });
    expect(await finders()).toEqual({ Page: ['Ada', 'Ben'] });
  });

  it('gives no access to people who cannot view the space', async () => {
    const { site, space, asBot, cleo } = world;
    site.addContent(space, 'Page', { readers: [asBot, user(cleo)] });
    expect(await finders()).toEqual({ Page: [] });
  });

  it('of a folder applies to the pages in it', async () => {
    const { site, space, asBot, ada } = world;
    const folder = site.addContent(space, 'Folder', { type: 'folder', readers: [asBot, user(ada)] });
    site.addContent(space, 'Inside', { parentId: folder.id });
    expect(await finders()).toEqual({ Inside: ['Ada'] });
  });

  it('of a blog post applies', async () => {
    const { site, space, asBot, ada } = world;
    site.addContent(space, 'Post', { type: 'blogpost', readers: [asBot, user(ada)] });
    expect(await finders()).toEqual({ Post: ['Ada'] });
  });

  it('is read page by page if the search index lags or the search fails', async () => {
    const { site, space, asBot, ada } = world;
    const page = site.addContent(space, 'Page', { readers: [asBot, user(ada)] });
    site.addContent(space, 'Open');
    site.unindexed.add(page.id);
    expect(await finders()).toEqual({ Page: ['Ada'], Open: ['Ada', 'Ben'] });
    expect(simulator.http.count(/\/restriction\//)).toBe(2);
    simulator.http.faults.add({ kind: 'status', status: 400, on: /content\/search$/ });
    expect(await finders()).toEqual({ Page: ['Ada'], Open: ['Ada', 'Ben'] });
  });

  it('that the account cannot read gives no access', async () => {
    const { site, space } = world;
    const top = site.addContent(space, 'Top');
    const page = site.addContent(space, 'Below', { parentId: top.id });
    site.addContent(space, 'Beside');
    site.unindexed.add(top.id);
    simulator.http.faults.add({ kind: 'status', status: 403, on: new RegExp(`/content/${top.id}/restriction/`) });
    expect(await finders()).toEqual({ Top: [], Below: [], Beside: ['Ada', 'Ben'] });
    expect(page.parentId).toBe(top.id);
  });

  it('on a path with an invisible parent or a cycle is unreadable', async () => {
    const { site, space } = world;
    site.addContent(space, 'Orphan', { parentId: '4711' });
    const one = site.addContent(space, 'One');
    const two = site.addContent(space, 'Two', { parentId: one.id });
    const payload = {
      id: one.id,
      title: 'One',
      spaceId: space.id,
      parentId: two.id,
      parentType: 'page',
      version: { number: 1 },
    };
    const other = { ...payload, id: two.id, title: 'Two', parentId: one.id };
    const orphan = { ...payload, id: '64000', title: 'Orphan', parentId: '4711' };
    const body = { results: [payload, other, orphan].map((each) => ({ ...each, _links: {} })), _links: {} };
    simulator.http.faults.add({ kind: 'status', status: 200, body, on: /spaces\/\d+\/pages$/ });
    const { readers } = [...(await source.roster()).audiences.values()].find(({ id }) => id.endsWith('/unreadable'))!;
    expect(readers).toBe('unreadable');
  });
});

describe('a permission change in Confluence', () => {
  it('hides text written after it from the earlier readers', async () => {
    const { site, space, asBot, ada } = world;
    const pages = [site.addContent(space, 'Open'), site.addContent(space, 'Closed')];
    const readTexts: Record<string, unknown> = {};
    const { documents } = documentsContext(source.context());
    for await (const { title, content } of confluenceConnector.documents!(documents)) {
      if (title === 'Open') {
        site.restrict(pages[1], asBot, user(ada));
        for (const page of pages) site.edit(page, { storage: '<p>The password is swordfish.</p>' });
      }
      readTexts[title] = await (content as () => Promise<string>)().catch((error: unknown) => error);
    }
    expect(readTexts).toEqual({
      Open: expect.stringContaining('swordfish'),
      Closed: expect.objectContaining({ message: 'has other readers since it was listed; the next sync reads it' }),
    });
  });

  it('hides comments written after it from the earlier readers', async () => {
    const { site, space, asBot, ada, ben } = world;
    const parent = site.addContent(space, 'Parent');
    const pages = [
      site.addContent(space, 'Open'),
      site.addContent(space, 'Closed'),
      site.addContent(space, 'Below', { parentId: parent.id }),
    ];
    for (const page of pages) site.comment(page, '<p>The first comment.</p>', { authorId: ben.accountId });
    const readTexts: Record<string, unknown> = {};
    const { documents } = documentsContext(source.context());
    for await (const { title, content } of confluenceConnector.documents!(documents)) {
      if (title === 'Parent') {
        site.restrict(pages[1], asBot, user(ada));
        site.restrict(parent, asBot, user(ada));
        for (const page of pages) site.comment(page, '<p>The password is swordfish.</p>', { authorId: ada.accountId });
      } else readTexts[title] = await (content as () => Promise<string>)().catch((error: unknown) => error);
    }
    const skipped = expect.objectContaining({
      message: 'has other readers since it was listed; the next sync reads it',
    });
    expect(readTexts).toEqual({ Open: expect.stringContaining('swordfish'), Closed: skipped, Below: skipped });
  });

  it('takes effect with the next roster, without reading the pages again', async () => {
    const { site, directory, space, asBot, ada, ben, cleo, developers } = world;
    const page = site.addContent(space, 'Page', { readers: [asBot, user(ada), user(ben), user(cleo)] });
    const document = (await source.walk()).documents.get(`page/${page.id}`)!;
    const reading = async (person: AtlassianPerson) => (await source.roster()).canRead(person.accountId, document);
    expect([await reading(ada), await reading(cleo)]).toEqual([true, false]);
    site.setReaders(space, asBot, { type: 'group', id: developers.groupId }, user(cleo)); // grant
    expect(await reading(cleo)).toBe(true);
    site.restrict(page, asBot, user(ada), user(ben)); // revoke
    expect(await reading(cleo)).toBe(false);
    developers.members.delete(ben.accountId); // leave a group
    expect([await reading(ada), await reading(ben)]).toEqual([true, false]);
    directory.people.get(ada.accountId)!.isActive = false; // leave the organization
    expect(await reading(ada)).toBe(false);
  });

  it('takes effect with the next pass if a page moves below a restricted one, or an ancestor is restricted', async () => {
    const { site, space, asBot, ada } = world;
    const secret = site.addContent(space, 'Secret', { readers: [asBot, user(ada)] });
    const parent = site.addContent(space, 'Parent');
    const child = site.addContent(space, 'Child', { parentId: parent.id });
    const before = await source.walk();
    expect(await finders()).toEqual({ Secret: ['Ada'], Parent: ['Ada', 'Ben'], Child: ['Ada', 'Ben'] });
    site.move(child, secret);
    site.restrict(parent, asBot, user(world.ben));
    const known = new Map([...before.documents].map(([id, { fingerprint }]) => [id, fingerprint]));
    const after = await source.walk(null, known);
    expect([...after.documents.values()].map(({ text }) => text)).toEqual([null, null, null]); // no text was read
    const roster = await source.roster();
    const finds = (id: string) =>
      [ada, world.ben].map(({ accountId }) => roster.canRead(accountId, after.documents.get(`page/${id}`)!));
    expect([finds(child.id), finds(parent.id)]).toEqual([
      [true, false],
      [false, true],
    ]);
    // the stored document gives no more access
    expect(roster.canRead(world.ben.accountId, before.documents.get(`page/${secret.id}`)!)).toBe(false);
  });
});

it('lists accounts with their visible addresses, without apps and inactive ones', async () => {
  const { site, directory, space, asBot, ada, dora } = world;
  const app = directory.addPerson('Automation', { accountType: 'app' });
  const gone = directory.addPerson('Gone', { isActive: false });
  const crowd = Array.from({ length: 450 }, (_, index) =>
    directory.addPerson(`P${index}`, { email: `p${index}@lark.example` }),
  );
  const group = directory.addGroup('crowd', crowd);
  site.setReaders(space, asBot, { type: 'group', id: group.groupId }, ...[ada, dora, app, gone].map(user));
  const { accounts, groups } = await source.roster();
  expect(accounts.get(ada.accountId)).toEqual({ id: ada.accountId, name: 'Ada', email: 'ada@lark.example' });
  expect(accounts.get(dora.accountId)).toEqual({ id: dora.accountId, name: 'Dora' });
  expect([accounts.has(app.accountId), accounts.has(gone.accountId)]).toEqual([false, false]);
  expect([groups.get(group.groupId)?.length, accounts.size]).toEqual([450, 453]);
});

it.each([
  ['groups cannot be read', { kind: 'status', status: 403, on: /membersByGroupId$/ } as const, 'forbidden'],
  [
    'restrictions cannot be read',
    { kind: 'status', status: 500, on: /content\/search$|\/restriction\// } as const,
    'unavailable',
  ],
  ['a list of permissions is cut off', { kind: 'cut', on: /\/permissions$/ } as const, 'unavailable'],
  [
    'the credential is revoked during the listing, so lists are those for anonymous visitors',
    { kind: 'status', status: 200, body: { type: 'anonymous', accountId: '' }, on: /current$/, after: 1 } as const,
    'unauthorized',
  ],
])('fails when %s, so the earlier roster stays', async (_, fault, expected) => {
  world.site.addContent(world.space, 'Page');
  simulator.http.faults.add(fault);
  await expect(source.roster()).rejects.toEqual(
    expect.objectContaining({ name: 'SourceRequestError', fault: expected }),
  );
});

it('agrees with Confluence on random trees', async () => {
  const { site, asBot, developers, ...others } = world;
  let seed = 11;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const people = [others.ada, others.ben, others.cleo, others.dora];
  const principal = (): SimulatedPrincipal =>
    random(4) ? user(people[random(4)]) : { type: 'group', id: developers.groupId };
  const principals = (least: number) => Array.from({ length: least + random(3) }, principal);
  for (let number = 0; number < 5; number++) {
    const space = site.addSpace(`S${number}`, `Space ${number}`);
    site.setReaders(space, asBot, ...principals(1));
    const nodes = [
      null,
      ...Array.from({ length: 2 }, (_, index) => site.addContent(space, `F${index}`, { type: 'folder' })),
    ];
    for (let index = 0; index < 25; index++) {
      const parent = nodes[random(nodes.length)];
      const readers = random(4) ? [] : [asBot, ...principals(1)];
      nodes.push(site.addContent(space, `${number}.${index}`, { parentId: parent?.id ?? null, readers }));
    }
  }
  const found = await finders();
  expect(Object.keys(found)).toHaveLength(125);
  expect(found).toEqual(viewers());
  expect(new Set(Object.values(found).map(String)).size).toBeGreaterThan(6);
});
