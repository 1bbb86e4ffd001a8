import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import { MembersService } from '../src/access/members.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { type FoundPassage, KnowledgeFixture } from './kit/knowledge-fixture.js';
import { MemorySource } from './kit/memory-source.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let organization: Organization;
let knowledge: KnowledgeFixture;
/** The documents of each "listed" source, by its setting. */
const lists = new Map<string, SourceDocument[]>();

beforeAll(async () => {
  server = await testServer();
  server.app.get(ConnectorRegistry).register({
    id: 'listed',
    title: 'Listed',
    setUp: 'For tests.',
    fields: [{ name: 'list', label: 'List', type: 'text', required: true, help: '' }],
    offers: ['knowledge'],
    verify: async () => ({ status: 'connected' }),
    async *documents({ settings }) {
      yield* lists.get(String(settings.list)) ?? [];
    },
  });
  organization = await anOrganization(server, { name: 'Larkmoor' });
  knowledge = new KnowledgeFixture(server, organization, await organization.as());
});
afterAll(() => server.close());

let sources = 0;
async function connect(...documents: SourceDocument[]): Promise<string> {
  const slug = `listed${++sources}`;
  lists.set(slug, documents);
  const { id } = await knowledge.connect({ kind: 'listed', slug, settings: { list: slug } });
  await knowledge.startSync(id);
  await knowledge.waitUntilComplete(id);
  return id;
}
const document = (title: string, content: string, more: Partial<SourceDocument> = {}): SourceDocument => ({
  externalId: title,
  kind: 'doc',
  title,
  mediaType: 'text/markdown',
  content,
  fingerprint: content,
  ...more,
});
const message = (title: string, content: string, more: Partial<SourceDocument> = {}) =>
  document(title, content, { kind: 'message', ...more });
const ticket = (title: string, content: string, more: Partial<SourceDocument> = {}) =>
  document(title, content, { kind: 'ticket', ...more });

type LinkedPassage = FoundPassage & { chunkId: string; linkedFrom: string };
interface LinkedResult {
  passages: (FoundPassage & { chunkId: string })[];
  linked: LinkedPassage[];
  citations: { n: number; title: string; url: string | null }[];
}

async function search(connections: string[], query: string, more: JsonObject = {}, groups: string[] = []) {
  const { structured, content } = await knowledge.call('search', connections, { query, ...more }, groups);
  const result = structured as unknown as LinkedResult;
  const [first] = content;
  return { ...result, titles: result.linked.map(({ title }) => title), text: first.type === 'text' ? first.text : '' };
}

describe('a search', () => {
  it('also reads the ticket that a message names, and cites it', async () => {
    const chat = await connect(message('Export trouble', 'The export is broken since Monday, see PROJ-123.'));
    const tracker = await connect(
      ticket('PROJ-123: Nightly job', 'State: open\n\nThe worker runs out of memory.', {
        url: 'https://tracker.example/browse/PROJ-123',
      }),
      ticket('PROJ-124: Another one', 'Nothing to see.'),
    );
    const { passages, linked, citations, text } = await search([chat, tracker], 'Why is the export broken?');
    expect(passages.map(({ title }) => title)).toEqual(['Export trouble']);
    expect(linked).toMatchObject([{ title: 'PROJ-123: Nightly job', linkedFrom: passages[0].chunkId }]);
    expect(linked[0].text).toContain('runs out of memory');
    expect(citations).toMatchObject([
      { n: 1, title: 'Export trouble' },
      { n: 2, title: 'PROJ-123: Nightly job', url: 'https://tracker.example/browse/PROJ-123' },
    ]);
    expect(text).toContain('(Named in [1])');
  });

  it('follows addresses, and numbers in the repository of a pull request', async () => {
    const repository = { container: 'acme/billing' };
    const host = await connect(
      ticket('Send on time (#7)', 'Fixes #3. The design is in [the plan](https://wiki.example/plan#goals).', {
        url: 'https://git.example/acme/billing/pull/7',
        ...repository,
      }),
      ticket('Late invoices (#3)', 'Customers wait.', {
        url: 'https://git.example/acme/billing/issues/3',
        ...repository,
      }),
      ticket('Other (#3)', 'Another repository.', {
        url: 'https://git.example/acme/mail/issues/3',
        container: 'acme/mail',
      }),
    );
    const wiki = await connect(document('Plan', 'A queue for each day.', { url: 'https://wiki.example/plan' }));
    const { titles } = await search([host, wiki], 'Which change makes us send on time?');
    expect(titles).toEqual(['Late invoices (#3)', 'Plan']);
  });

  it('shows the passage of a long linked document that matches the question', async () => {
    const filler = Array.from({ length: 60 }, (_, at) => `Sentence ${at} is about the weather and about lunch.`).join(
      ' ',
    );
    const id = await connect(
      message('Walrus', 'The walrus moves, see OPS-1.'),
      ticket(
        'OPS-1: Relocation',
        `## Start\n\n${filler}\n\n## Place\n\nThe new place is Svalbard.\n\n## End\n\n${filler}`,
      ),
    );
    const { linked } = await search([id], 'walrus place', { limit: 1 });
    expect(linked).toHaveLength(1);
    expect(linked[0].text).toContain('Svalbard');
  });

  it('reads at most three documents, in the order of the passages, and none twice', async () => {
    const id = await connect(
      message('Kestrel', 'The kestrel list: LIM-4, LIM-1, LIM-2, LIM-3, LIM-4, UTF-8.'),
      ...[1, 2, 3, 4].map((number) => ticket(`LIM-${number}: T${number}`, 'Text.')),
    );
    expect((await search([id], 'kestrel')).titles).toEqual(['LIM-4: T4', 'LIM-1: T1', 'LIM-2: T2']);
    const { passages, titles } = await search([id], 'kestrel LIM-4');
    expect(passages.map(({ title }) => title)).toContain('LIM-4: T4');
    expect(titles).not.toContain('LIM-4: T4');
  });
});

describe('a linked ticket', () => {
  it('that the reader may not open is not read, and changes nothing in the result', async () => {
    const { id: staff } = await server.app.get(GroupsService).create(organization.system, 'Staff');
    const text = 'The okapi alarm is explained in SEC-9.';
    const chat = await connect(message('Okapi', text));
    const tracker = await connect(ticket('SEC-9: Breach', 'The password was guessed.', { groups: ['Staff'] }));
    const other = await connect(message('Okapi', text));
    expect((await search([chat, tracker], 'okapi', {}, [staff])).titles).toEqual(['SEC-9: Breach']);
    const hidden = await search([chat, tracker], 'okapi');
    const missing = await search([other], 'okapi');
    expect(hidden.linked).toEqual([]);
    expect(hidden.citations.map(({ title }) => title)).toEqual(['Okapi']);
    expect(hidden.text.replaceAll(/listed\d+|\d{4}-\d\d-\d\d/g, '')).toBe(
      missing.text.replaceAll(/listed\d+|\d{4}-\d\d-\d\d/g, ''),
    );
    expect(JSON.stringify(hidden)).not.toContain('Breach');
  });

  it('is read by those who can open it in its source, as long as they can', async () => {
    const source = new MemorySource('memory-links');
    server.app.get(ConnectorRegistry).register(source.connector);
    source.addAccount('U1', 'ada@links.example');
    source.addAccount('U2', 'max@links.example');
    source.addSpace('closed', { accounts: ['U1'] });
    source.addSpace('public', { isPublic: true });
    source.addPage('secret', 'closed', 'The gate code.');
    source.addPage('news', 'public', 'The ibex news: https://memory.example/secret');
    const members = server.app.get(MembersService);
    const ada = await members.create(organization.system, { email: 'ada@links.example', name: 'Ada' });
    const max = await members.create(organization.system, { email: 'max@links.example', name: 'Max' });
    const { id } = await knowledge.connect({
      kind: 'memory-links',
      slug: 'memory-links',
      settings: { containers: ['closed', 'public'] },
    });
    await knowledge.waitUntilComplete(id);
    await knowledge.refreshRoster(id);
    const titles = async (member?: string) => {
      const { structured } = await knowledge.call('search', [id], { query: 'ibex' }, [], member);
      const { passages, linked } = structured as unknown as LinkedResult;
      return [...passages, ...linked].map(({ title }) => title);
    };
    expect(await titles(ada.id)).toEqual(['news', 'secret']);
    expect(await titles(max.id)).toEqual(['news']);
    expect(await titles()).toEqual([]);
    source.spaces.get('closed')!.accounts.delete('U1');
    await knowledge.refreshRoster(id);
    expect(await titles(ada.id)).toEqual(['news']);
  });

  it('is not read from a connection that the configuration or the search leaves out', async () => {
    const chat = await connect(message('Tapir', 'The tapir is in ZOO-5.'));
    const tracker = await connect(ticket('ZOO-5: Enclosure', 'North gate.'));
    expect((await search([chat], 'tapir')).titles).toEqual([]);
    expect((await search([chat, tracker], 'tapir')).titles).toEqual(['ZOO-5: Enclosure']);
    const [{ source }] = (await search([chat], 'tapir')).passages;
    expect((await search([chat, tracker], 'tapir', { sources: [source] })).titles).toEqual([]);
  });

  it('is not read if a filter of the search excludes it, because a policy can require the filter', async () => {
    const id = await connect(
      message('Okapi', 'The okapi is in ZOO-6.', { container: 'zoo', author: 'Ada' }),
      ticket('ZOO-6: Forest', 'South gate.', { container: 'zoo', author: 'Ben' }),
    );
    const ticketTitles = ['ZOO-6: Forest'];
    expect((await search([id], 'okapi', { container: 'Zoo' })).titles).toEqual(ticketTitles);
    expect((await search([id], 'okapi', { author: 'Ada' })).titles).toEqual([]);
    expect((await search([id], 'okapi', { kind: 'message' })).titles).toEqual([]);
  });

  it('is shown to administrators for their own groups, or those that they search as', async () => {
    const { id: board } = await server.app.get(GroupsService).create(organization.system, 'Board');
    const chat = await connect(message('Dodo', 'The dodo budget is in FIN-1 and FIN-2.'));
    const tracker = await connect(
      ticket('FIN-1: Budget', 'Open to all.', { url: 'https://tracker.example/browse/FIN-1', author: 'Ada' }),
      ticket('FIN-2: Merger', 'Secret.', { groups: ['Board'] }),
    );
    const searchAs = async (input: object) => {
      const { data } = await knowledge.request(
        `query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) {
          passages { chunkId linkedFrom } linked { title url source linkedFrom document { connectionId } } } }`,
        { input: { query: 'dodo', ...input } },
      );
      return data.searchKnowledge;
    };
    const both = [chat, tracker];
    const { passages, linked } = await searchAs({ connectionIds: both });
    expect(passages).toMatchObject([{ linkedFrom: null }]);
    expect(linked).toMatchObject([
      {
        title: 'FIN-1: Budget',
        url: 'https://tracker.example/browse/FIN-1',
        linkedFrom: passages[0].chunkId,
        document: { connectionId: tracker },
      },
    ]);
    const asBoard = await searchAs({ connectionIds: both, asGroups: [board] });
    expect(asBoard.linked.map(({ title }: { title: string }) => title)).toEqual(['FIN-1: Budget', 'FIN-2: Merger']);
    expect((await searchAs({ connectionIds: [chat] })).linked).toEqual([]);
    expect((await searchAs({ connectionIds: both, kind: 'message' })).linked).toEqual([]);
  });
});
