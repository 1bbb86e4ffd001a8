import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfluenceDataCenterSimulator } from '../examples/simulators/confluence-data-center/simulator.js';
import { OutcomeUnknown, SourcePaused } from '../src/connections/connections.error.js';
import { confluenceDataCenterConnector } from '../src/knowledge/confluence/confluence-data-center.connector.js';
import { SourceRequestError } from '../src/knowledge/source-kit/source-request.error.js';
import { connectorContract } from './connector-contract.js';
import { aConfluenceDataCenter, startConfluenceDataCenter } from './kit/confluence-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
const running: ConfluenceDataCenterSimulator[] = [];
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
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await outgoing.onApplicationShutdown();
});

connectorContract('confluence-data-center', async () => {
  const own = aConfluenceDataCenter();
  const first = own.site.addContent(own.space, 'Brakes', { storage: '<p>The brakes lock.</p>' });
  const second = own.site.addContent(own.space, 'Invoices', { type: 'blogpost', storage: '<p>Since Monday.</p>' });
  const started = await startConfluenceDataCenter(own, outgoing);
  running.push(started.simulator);
  return {
    kind: confluenceDataCenterConnector,
    outgoing,
    settings: started.source.settings,
    secrets: started.source.secrets,
    brokenSettings: { ...started.source.settings },
    brokenSecrets: { token: 'a token of another account' },
    change: async () => own.site.edit(first, { storage: '<p>The brakes lock on ramps.</p>' }),
    remove: async () => own.site.remove(second),
    calls: { create_page_draft: { space: 'ENG', title: 'Ramps', text: 'Check them.' } },
  };
});

const refusedWith = (fault: string) => expect.objectContaining({ name: 'SourceRequestError', fault });

describe('a page', () => {
  it('is one document with its comments, each followed by its replies', async () => {
    const { site, space, ada, ben } = world;
    const page = site.addContent(space, 'Brakes', { authorId: ada.accountId, storage: '<p>They lock.</p>' });
    const first = site.comment(page, '<p>Which carts?</p>', { authorId: ben.accountId });
    site.comment(page, '<p>Inline.</p>', { authorId: ben.accountId, place: 'inline' });
    site.comment(page, '<p>All of them.</p>', { authorId: ada.accountId, parentCommentId: first.id });
    const document = (await source.walk()).documents.get(`page/${page.id}`)!;
    expect(document).toMatchObject({
      kind: 'doc',
      title: 'Brakes',
      author: 'Ada',
      container: 'Engineering',
      url: `${simulator.url}/pages/viewpage.action?pageId=${page.id}`,
      mediaType: 'text/html',
      updatedAt: new Date(page.updated),
    });
    expect(document.text).toMatch(
      /They lock\.[^]*Comment by Ben[^]*Which carts\?[^]*Comment by Ada[^]*All of them\.[^]*Inline\./,
    );
    expect(document.text!.match(/Comment by/g)).toHaveLength(3);
  });

  it('that was removed, archived or is a draft is not read', async () => {
    const { site, space, asBot } = world;
    site.addContent(space, 'Current');
    for (const status of ['trashed', 'archived', 'draft'] as const) site.addContent(space, status, { status });
    site.setReaders(site.addSpace('OLD', 'Archived', { isArchived: true }), asBot);
    expect([...(await source.walk()).documents.values()].map(({ title }) => title)).toEqual(['Current']);
  });
});

describe('a complete pass', () => {
  it.each([60, 20])('reads pages, blog posts and comments over lists of %i per page', async (mostPerPage) => {
    await restart({ mostPerPage });
    const { site, space } = world;
    for (let index = 0; index < 150; index++) site.addContent(space, `Page ${index}`);
    for (let index = 0; index < 150; index++) site.addContent(space, `Post ${index}`, { type: 'blogpost' });
    const page = site.addContent(space, 'Discussed');
    for (let index = 0; index < 150; index++) site.comment(page, `<p>Reply ${index}.</p>`);
    const { documents, expected } = await source.walk();
    expect([documents.size, expected]).toEqual([301, 301]);
    expect(documents.get(`page/${page.id}`)!.text!.match(/Reply \d+\./g)).toHaveLength(150);
  });

  it('reads only texts of new versions, and of pages with new or edited comments', async () => {
    const { site, space } = world;
    const [edited, discussed, quiet] = ['Edited', 'Discussed', 'Quiet'].map((title) => site.addContent(space, title));
    const comment = site.comment(discussed, '<p>One</p>');
    const marks = async () =>
      new Map([...(await source.walk()).documents].map(([id, { fingerprint }]) => [id, fingerprint]));
    const first = await marks();
    site.edit(edited, { storage: '<p>New</p>' });
    Object.assign(comment, { version: 2, storage: '<p>Two</p>' });
    const { documents } = await source.walk(null, first);
    expect([edited, discussed, quiet].map(({ id }) => documents.get(`page/${id}`)!.text)).toEqual([
      expect.stringContaining('New'),
      expect.stringContaining('Two'),
      null,
    ]);
  });

  it('resumes at the stored progress of an interrupted pass', async () => {
    for (let index = 0; index < 300; index++) world.site.addContent(world.space, `Page ${index}`);
    const complete = await source.walk();
    const [progress] = complete.checkpoints;
    expect((await source.walk(progress)).documents.size).toBe(50);
  });

  it('reads only the chosen spaces, and fails if one of them is no longer visible', async () => {
    const { site, space, asBot } = world;
    const other = site.addSpace('OPS', 'Operations');
    site.setReaders(other, asBot);
    site.addContent(space, 'In');
    site.addContent(other, 'Out');
    source.settings = { ...source.settings, containers: [space.id] };
    expect([...(await source.walk()).documents.values()].map(({ title }) => title)).toEqual(['In']);
    site.setReaders(space);
    await expect(source.walk()).rejects.toEqual(refusedWith('missing'));
    await expect(source.verify()).resolves.toMatchObject({ status: 'limited' });
  });

  it.each([
    ['a failing server', { kind: 'status', status: 500, on: /scan$/ } as const, 'unavailable'],
    ['half a response', { kind: 'half', on: /scan$/ } as const, 'unreadable'],
    ['an error page of a proxy', { kind: 'html', on: /scan$/ } as const, 'unreadable'],
    ['a cut connection', { kind: 'cut', on: /content$/ } as const, 'unavailable'],
    ['a revoked permission', { kind: 'status', status: 403, on: /scan$/ } as const, 'forbidden'],
    [
      'a link without a cursor',
      {
        kind: 'status',
        status: 200,
        body: { results: [], _links: { next: '/rest/api/content/scan' } },
        on: /scan$/,
      } as const,
      'unreadable',
    ],
    [
      'an endless list',
      { kind: 'status', status: 200, body: { results: [], _links: { next: '/x?start=0' } }, on: /content$/ } as const,
      'unreadable',
    ],
    [
      'pages without ancestors',
      {
        kind: 'status',
        status: 200,
        body: { results: [{ id: '1', title: 'T', space: { id: 1 }, version: { number: 1 }, _links: {} }] },
        on: /scan$/,
      } as const,
      'unreadable',
    ],
    [
      'lists for anonymous visitors',
      { kind: 'status', status: 200, body: { type: 'anonymous' }, on: /user\/current$/, after: 1 } as const,
      'unauthorized',
    ],
  ])('fails with %s instead of returning a shorter list', async (_, fault, expected) => {
    world.site.addContent(world.space, 'Page');
    simulator.http.faults.add(fault);
    await expect(source.walk()).rejects.toEqual(refusedWith(expected));
  });

  it('fails if the account loses a space while it runs, because this looks like a deletion', async () => {
    const { site, space, asBot } = world;
    const other = site.addSpace('OPS', 'Operations');
    site.setReaders(other, asBot);
    site.addContent(space, 'One');
    site.addContent(other, 'Two');
    const readAll = async () => {
      for await (const { title } of source.each()) if (title === 'One') site.setReaders(other);
    };
    await expect(readAll()).rejects.toEqual(refusedWith('missing'));
  });

  it('misses no blog post if others are removed while it runs', async () => {
    await restart({ mostPerPage: 100 });
    const { site, space } = world;
    const posts = Array.from({ length: 150 }, (_, index) =>
      site.addContent(space, `Post ${index}`, { type: 'blogpost' }),
    );
    const before = simulator.http.before;
    let lists = 0;
    simulator.http.before = (request) => {
      if (request.path.endsWith('/content') && ++lists === 2) for (const post of posts.slice(0, 40)) site.remove(post);
      return before(request);
    };
    const ids = new Set(await source.ids());
    expect(posts.slice(40).filter(({ id }) => !ids.has(`blogpost/${id}`))).toEqual([]);
  });

  it('works with a context path, which is part of the citations', async () => {
    await restart({ basePath: '/wiki', mostPerPage: 2 });
    const { site, space, ada, asBot } = world;
    const pages = ['One', 'Two', 'Three'].map((title) => site.addContent(space, title));
    site.restrict(pages[0], asBot, { type: 'user', id: ada.accountId });
    const { documents } = await source.walk();
    expect(documents.get(`page/${pages[0].id}`)!.url).toBe(
      `${simulator.url}/wiki/pages/viewpage.action?pageId=${pages[0].id}`,
    );
    const roster = await source.roster();
    expect([...documents.values()].map((document) => roster.canRead(world.ben.accountId, document))).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe('rate limits', () => {
  it('leave a fifth of the token bucket to other clients', async () => {
    await restart({ limits: { limit: 100, fillRate: 1, intervalSeconds: 3600 } });
    for (let index = 0; index < 200; index++) world.site.addContent(world.space, `Page ${index}`);
    await expect(source.walk()).rejects.toBeInstanceOf(SourcePaused);
    expect(simulator.http.requests.length).toBeLessThan(90);
  });
});

describe('a webhook', () => {
  const deliver = ({ headers, body }: ReturnType<ConfluenceDataCenterSimulator['webhook']>) =>
    confluenceDataCenterConnector.receive!(source.context(), { headers, body });

  beforeEach(() => (source.secrets.webhookSecret = simulator.webhookSecret));

  it.each([
    ['page_updated', { hints: [] }],
    ['comment_created', { hints: [] }],
    ['content_permissions_updated', { hints: [], isRosterStale: true }],
    ['space_permissions_updated', { hints: [], isRosterStale: true }],
    ['page_moved', { hints: [], isRosterStale: true }],
    ['user_deactivated', { hints: null, isRosterStale: true }],
    ['page_viewed', { hints: null }],
    ['theme_enabled', { hints: null }],
  ])('with the event %s reports what changed', async (event, notification) => {
    const delivery = simulator.webhook(event, {});
    await expect(deliver(delivery)).resolves.toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), ...notification });
    expect(await deliver(delivery)).toEqual(await deliver(delivery));
  });

  it('with another signature or body, an old time, or without a secret, is ignored', async () => {
    await expect(deliver(simulator.webhook('page_updated', {}, 'another secret'))).resolves.toBeNull();
    await expect(deliver(simulator.webhook('page_updated', { timestamp: Date.now() - 9_000_000 }))).resolves.toBeNull();
    const changed = simulator.webhook('page_updated', {});
    changed.body = Buffer.from(changed.body.toString().replace('page', 'blog'));
    await expect(deliver(changed)).resolves.toBeNull();
    delete source.secrets.webhookSecret;
    await expect(deliver(simulator.webhook('page_updated', {}))).resolves.toBeNull();
  });
});

describe('an action', () => {
  it('creates a draft without macros', async () => {
    const parent = world.site.addContent(world.space, 'Parent');
    const text = '# Steps\n- one\n<ac:structured-macro ac:name="include" />';
    const result = await source.execute('create_page_draft', { space: 'ENG', title: 'Ramps', text, parent: parent.id });
    const draft = [...world.site.contents.values()].find(({ status }) => status === 'draft')!;
    expect(draft).toMatchObject({ title: 'Ramps', parentId: parent.id });
    expect(draft.storage).toContain('&lt;ac:structured-macro');
    expect(result.url).toBe(`${simulator.url}/pages/resumedraft.action?draftId=${draft.id}`);
    expect((await source.walk()).documents.size).toBe(1);
  });

  it('is rejected in spaces that are not chosen, and reports an unknown outcome', async () => {
    const other = world.site.addSpace('OPS', 'Operations');
    world.site.setReaders(other, world.asBot);
    source.settings = { ...source.settings, containers: [world.space.id] };
    const create = (space: string) => source.execute('create_page_draft', { space, title: 'X', text: 'x' });
    await expect(create('OPS')).resolves.toMatchObject({ isError: true });
    await expect(create('NONE')).resolves.toMatchObject({ isError: true });
    simulator.http.faults.add({ kind: 'cut', on: /\/content$/, method: 'POST' });
    await expect(create('ENG')).rejects.toBeInstanceOf(OutcomeUnknown);
  });
});

describe('verification', () => {
  it('names the missing permission', async () => {
    simulator.administrators.clear();
    await expect(source.verify()).resolves.toEqual({
      status: 'limited',
      reason: expect.stringContaining('“Confluence Administrator”'),
    });
  });

  it('before Confluence 9.1 asks for the groups that can use it', async () => {
    await restart({ hasPermissionApi: false });
    await expect(source.verify()).resolves.toMatchObject({
      status: 'limited',
      reason: expect.stringContaining('enter the groups that can use Confluence'),
    });
    source.settings = { ...source.settings, groupsWithAccess: [world.everyone.name] };
    await expect(source.verify()).resolves.toEqual({ status: 'connected' });
    simulator.hasRemoteApi = false;
    await expect(source.verify()).resolves.toMatchObject({
      status: 'limited',
      reason: expect.stringContaining('cannot read the permissions of the space ENG'),
    });
  });

  it('fails without leaking a rejected token', async () => {
    source.secrets.token = 'a-wrong-token-0123456789';
    const error = await source.verify().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SourceRequestError);
    expect(String(error)).not.toContain('a-wrong-token-0123456789');
  });
});
