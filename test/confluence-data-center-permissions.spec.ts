import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AtlassianPerson } from '../examples/simulators/atlassian/directory.js';
import type { ConfluenceDataCenterSimulator } from '../examples/simulators/confluence-data-center/simulator.js';
import type { SimulatedPrincipal } from '../examples/simulators/confluence/confluence-site.js';
import { aConfluenceDataCenter, startConfluenceDataCenter } from './kit/confluence-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
let world: ReturnType<typeof aConfluenceDataCenter>;
let simulator: ConfluenceDataCenterSimulator;
let source: SourceFixture;

const restart = async (options: Parameters<typeof startConfluenceDataCenter>[2] = {}) => {
  await simulator.stop();
  ({ simulator, source } = await startConfluenceDataCenter(world, outgoing, options));
};

beforeEach(async () => {
  world = aConfluenceDataCenter();
  ({ simulator, source } = await startConfluenceDataCenter(world, outgoing));
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
    [...documents.values()].map((document) => {
      const found = colleagues().filter(({ accountId }) => roster.canRead(accountId, document));
      return [document.title, found.map(({ displayName }) => displayName)];
    }),
  );
}

/** The names of the people who see each page in Confluence, by title. */
function viewers(): Record<string, string[]> {
  const { site, bot } = world;
  const pages = [...site.contents.values()].filter(
    (content) => content.status === 'current' && site.canSee(bot.accountId, content),
  );
  return Object.fromEntries(
    pages.map((page) => {
      const seeing = colleagues().filter(({ accountId }) => site.canSee(accountId, page));
      return [page.title, seeing.map(({ displayName }) => displayName)];
    }),
  );
}

const user = ({ accountId }: AtlassianPerson): SimulatedPrincipal => ({ type: 'user', id: accountId });
const group = ({ name }: { name: string }): SimulatedPrincipal => ({ type: 'group', id: name });

describe.each([
  ['from Confluence 9.1', true],
  ['before Confluence 9.1', false],
])('the permissions of a space, %s', (_, hasPermissionApi) => {
  beforeEach(async () => {
    await restart({ hasPermissionApi });
    source.settings = { ...source.settings, groupsWithAccess: [world.everyone.name] };
  });

  it('give access to people and groups that may view it, and not by other permissions', async () => {
    const { site, space, asBot, cleo, developers, directory } = world;
    const authors = directory.addGroup('authors', [world.dora]);
    site.setReaders(space, asBot, user(cleo), group(developers));
    space.permissions.push({ operation: 'create/page', principal: group(authors) });
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: ['Ada', 'Ben', 'Cleo'] });
    expect(await finders()).toEqual(viewers());
  });

  it('give access only to people who can use Confluence', async () => {
    const { site, space, ben, everyone } = world;
    site.addContent(space, 'Page');
    everyone.members.delete(ben.accountId);
    expect(await finders()).toEqual({ Page: ['Ada'] });
    expect(viewers()).toEqual({ Page: ['Ada'] });
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

  it('of a group whose name is not possible in a path give no access, and the others stay', async () => {
    const { site, space, asBot, ben, cleo, directory } = world;
    site.setReaders(space, asBot, user(cleo), group(directory.addGroup('dev/ops', [ben])));
    site.addContent(space, 'Page');
    simulator.http.faults.add({ kind: 'status', status: 400, on: /\/group\/dev%2Fops\/member$/ });
    expect(await finders()).toEqual({ Page: ['Cleo'] });
  });

  it('of deleted groups and accounts give no access', async () => {
    const { site, space, asBot } = world;
    site.setReaders(space, asBot, { type: 'group', id: 'gone' }, { type: 'user', id: 'JIRAUSER1' });
    site.addContent(space, 'Page');
    expect(await finders()).toEqual({ Page: [] });
  });
});

describe('access to Confluence', () => {
  it('that cannot be read gives no access, unless its groups are entered', async () => {
    await restart({ hasPermissionApi: false });
    world.site.addContent(world.space, 'Page');
    expect(await finders()).toEqual({ Page: [] });
    source.settings = { ...source.settings, groupsWithAccess: ['no such group'] };
    expect(await finders()).toEqual({ Page: [] });
    source.settings = { ...source.settings, groupsWithAccess: [world.everyone.name] };
    expect(await finders()).toEqual({ Page: ['Ada', 'Ben'] });
  });

  it('of a disabled JSON-RPC API gives no access', async () => {
    await restart({ hasPermissionApi: false });
    simulator.hasRemoteApi = false;
    source.settings = { ...source.settings, groupsWithAccess: [world.everyone.name] };
    world.site.addContent(world.space, 'Page');
    expect(await finders()).toEqual({ Page: [] });
  });
});

describe('anonymous access', () => {
  beforeEach(() => {
    const { site, space, asBot, ada } = world;
    space.isAnonymous = true;
    site.addContent(space, 'Open');
    site.addContent(space, 'Closed', { readers: [asBot, user(ada)] });
  });

  it('gives everyone access, except to restricted pages', async () => {
    const roster = await source.roster();
    expect([...roster.audiences.values()].map(({ readers }) => readers)).toEqual(['everyone', expect.any(Array)]);
    expect(await finders()).toMatchObject({ Closed: ['Ada'] });
  });

  it('gives access to restricted pages only to people who can use Confluence', async () => {
    world.everyone.members.delete(world.ada.accountId);
    expect(await finders()).toMatchObject({ Closed: [] });
    expect(viewers()).toMatchObject({ Closed: [] });
    world.everyone.members.add(world.ada.accountId);
    simulator.http.faults.add({ kind: 'status', status: 403, on: /\/api\/permissions$/ });
    const { audiences } = await source.roster();
    expect([...audiences.values()].map(({ readers }) => readers)).toEqual(['everyone', 'unreadable']);
  });

  it('of a space has no effect if the site does not permit it', async () => {
    world.site.allowsAnonymous = false;
    expect(await finders()).toEqual({ Open: ['Ada', 'Ben'], Closed: ['Ada'] });
    expect(await finders()).toEqual(viewers());
  });

  it.each([
    ['a redirect to a login page', { status: 302, headers: { location: 'https://login.acme.example/' } }],
    ['a body of another kind', { body: 'Sign in' }],
    ['a rate limit', { status: 429, headers: { 'retry-after': '900' } }],
    ['a refusal', { status: 403, body: {} }],
  ])('is not assumed if the answer to an anonymous visitor is %s', async (_, reply) => {
    const { before } = simulator.http;
    simulator.http.before = (request) => (request.headers.authorization ? before(request) : reply);
    expect(await finders()).toEqual({ Open: ['Ada', 'Ben'], Closed: ['Ada'] });
  });

  it('is tested without the credential', async () => {
    await source.roster();
    const tests = simulator.http.requests.filter(({ path }) => path.endsWith('/space/ENG'));
    expect(tests[0].headers.authorization).toBeUndefined();
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
    site.addContent(space, 'Beside', { readers: [] });
    site.addContent(space, 'Post', { type: 'blogpost', readers: [asBot, group(world.developers)] });
    expect(await finders()).toEqual({
      Top: ['Ada'],
      Middle: ['Ada'],
      Low: ['Ada'],
      Bottom: ['Ada'],
      'For Ben': [],
      Beside: ['Ada', 'Ben'],
      Post: ['Ada', 'Ben'],
    });
    expect(await finders()).toEqual(viewers());
  });

  it('is read page by page if the search index lags or the search fails', async () => {
    const { site, space, asBot, ada } = world;
    const page = site.addContent(space, 'Page', { readers: [asBot, user(ada)] });
    site.addContent(space, 'Open');
    site.unindexed.add(page.id);
    expect(await finders()).toEqual({ Page: ['Ada'], Open: ['Ada', 'Ben'] });
    simulator.http.faults.add({ kind: 'status', status: 400, on: /content\/search$/, method: 'GET', after: 1 });
    expect(await finders()).toEqual({ Page: ['Ada'], Open: ['Ada', 'Ben'] });
  });

  it('that the account cannot read gives no access', async () => {
    const { site, space } = world;
    const top = site.addContent(space, 'Top');
    site.addContent(space, 'Below', { parentId: top.id });
    site.addContent(space, 'Beside');
    site.unindexed.add(top.id);
    simulator.http.faults.add({ kind: 'status', status: 403, on: new RegExp(`/content/${top.id}/restriction/`) });
    expect(await finders()).toEqual({ Top: [], Below: [], Beside: ['Ada', 'Ben'] });
  });
});

describe('a permission change in Confluence', () => {
  it('hides text and comments written after it from the earlier readers', async () => {
    const { site, space, asBot, ada } = world;
    const parent = site.addContent(space, 'Parent');
    const pages = [
      site.addContent(space, 'Open'),
      site.addContent(space, 'Closed'),
      site.addContent(space, 'Below', { parentId: parent.id }),
    ];
    for (const page of pages) site.comment(page, '<p>First.</p>');
    const readTexts: Record<string, unknown> = {};
    for await (const { title, content } of source.each()) {
      if (title === 'Parent') {
        site.restrict(pages[1], asBot, user(ada));
        site.restrict(parent, asBot, user(ada));
        site.edit(pages[1], { storage: '<p>The password is swordfish.</p>' });
        for (const page of pages) site.comment(page, '<p>The password is swordfish.</p>');
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
    site.setReaders(space, asBot, group(developers), user(cleo)); // grant
    expect(await reading(cleo)).toBe(true);
    site.restrict(page, asBot, user(ada), user(ben)); // revoke
    expect(await reading(cleo)).toBe(false);
    developers.members.delete(ben.accountId); // leave a group
    expect([await reading(ada), await reading(ben)]).toEqual([true, false]);
    directory.people.get(ada.accountId)!.isActive = false; // leave the organization
    expect(await reading(ada)).toBe(false);
  });

  it('takes effect with the next pass if a page moves below a restricted one', async () => {
    const { site, space, asBot, ada } = world;
    const secret = site.addContent(space, 'Secret', { readers: [asBot, user(ada)] });
    const child = site.addContent(space, 'Child');
    expect(await finders()).toEqual({ Secret: ['Ada'], Child: ['Ada', 'Ben'] });
    site.move(child, secret);
    expect(await finders()).toEqual({ Secret: ['Ada'], Child: ['Ada'] });
  });
});

describe('the roster', () => {
  it('lists active people with their visible addresses, over several pages of members', async () => {
    await restart({ mostPerPage: 50 });
    const { site, directory, space, asBot, ada, dora, everyone } = world;
    const gone = directory.addPerson('Gone', { isActive: false });
    const crowd = Array.from({ length: 120 }, (_, index) =>
      directory.addPerson(`P ${String.fromCodePoint(0x4e00 + index)}`),
    );
    const readers = directory.addGroup('readers', [ada, dora, gone, ...crowd]);
    for (const { accountId } of [gone, ...crowd]) everyone.members.add(accountId);
    site.setReaders(space, asBot, group(readers));
    const { accounts, groups } = await source.roster();
    expect(accounts.get(ada.accountId)).toEqual({ id: ada.accountId, name: 'Ada', email: 'ada@lark.example' });
    expect(accounts.get(dora.accountId)).toEqual({ id: dora.accountId, name: 'Dora' });
    expect(accounts.has(gone.accountId)).toBe(false);
    expect(groups.get(readers.name)).toHaveLength(123);
    simulator.hasMobileApi = false;
    expect((await source.roster()).accounts.get(ada.accountId)).toEqual({ id: ada.accountId, name: 'Ada' });
  });

  it.each([
    ['a list of members is cut off', { kind: 'cut', on: /member$/ } as const, 'unavailable'],
    ['an account cannot be read', { kind: 'status', status: 500, on: /api\/user$/ } as const, 'unavailable'],
    ['the permissions fail', { kind: 'status', status: 500, on: /ENG\/permissions$/ } as const, 'unavailable'],
    ['the token is revoked', { kind: 'status', status: 401, on: /current$/, after: 1 } as const, 'unauthorized'],
  ])('fails when %s, so the earlier one stays', async (_, fault, expected) => {
    world.site.addContent(world.space, 'Page');
    simulator.http.faults.add(fault);
    await expect(source.roster()).rejects.toEqual(
      expect.objectContaining({ name: 'SourceRequestError', fault: expected }),
    );
  });
});
