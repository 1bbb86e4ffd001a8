import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type EmbeddingSimulator, startEmbeddingSimulator } from '../examples/model-simulator/embeddings.ts';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import { GroupsService } from '../src/access/groups.service.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let organization: Organization;
let knowledge: KnowledgeFixture;
let owner: pg.Client;
/** The documents of each "listed" source, by its setting. */
const lists = new Map<string, SourceDocument[]>();

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
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
afterAll(async () => {
  await owner.end();
  await server.close();
});

let sources = 0;
async function listed(...documents: SourceDocument[]) {
  const slug = `listed${++sources}`;
  lists.set(slug, documents);
  const { id } = await knowledge.connect({ kind: 'listed', slug, settings: { list: slug } });
  await knowledge.startSync(id);
  await knowledge.waitUntilComplete(id);
  return { id, slug };
}
const document = (externalId: string, content: string, more: Partial<SourceDocument> = {}): SourceDocument => ({
  externalId,
  kind: 'doc',
  title: externalId,
  mediaType: 'text/plain',
  content,
  fingerprint: content,
  ...more,
});
type Filters = Parameters<KnowledgeFixture['search']>[2];
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- fields that the fixture does not declare
const search = (ids: string[], query: string, more: Filters = {}): Promise<any> => knowledge.search(ids, query, more);
const titles = async (ids: string[], query: string, more: Filters = {}) =>
  ((await search(ids, query, more)).passages as { title: string }[]).map(({ title }) => title);

describe('words', () => {
  it('are found in the other forms of the language of their document', async () => {
    const { id } = await listed(
      document(
        'urlaub',
        'Alle Mitarbeiterinnen und Mitarbeiter haben im Jahr dreißig Urlaubstage. Bitte beantrage sie sechs Wochen vorher.',
      ),
      document(
        'conges',
        'Les demandes de congés sont à envoyer au responsable de votre équipe, six semaines avant le départ.',
      ),
      document('leave', 'Everybody has thirty days of vacation. Ask for them six weeks before.'),
    );
    expect(await titles([id], 'Urlaubstag')).toEqual(['urlaub']);
    expect(await titles([id], 'Wie viele Urlaubstage habe ich?')).toEqual(['urlaub']);
    expect((await titles([id], 'demande de congé'))[0]).toBe('conges');
    expect(await titles([id], 'vacations')).toEqual(['leave']);
    const { rows } = await owner.query<{ language: string }>(
      'select language from documents where connection_id = $1 order by external_id',
      [id],
    );
    expect(rows.map(({ language }) => language)).toEqual(['fr', 'en', 'de']);
  });

  it('are found in scripts without spaces, also next to Latin letters', async () => {
    const { id } = await listed(
      document('ja', '配送車APIの認証は毎年更新します。'),
      document('ko', '휴가를 신청하려면 팀장에게 문의하세요.'),
    );
    expect(await titles([id], '認証')).toEqual(['ja']);
    expect(await titles([id], 'API')).toEqual(['ja']);
    expect(await titles([id], '휴가')).toEqual(['ko']);
  });

  it('that are identifiers are found as a whole first', async () => {
    const { id } = await listed(
      document('a', 'OPS tickets: OPS-1, OPS-2, OPS-3 and 4711 of the OPS board, which OPS keeps.'),
      document('b', 'The dock was replaced, see OPS-4711.'),
      document('c', 'E_DOCK_TIMEOUT is raised by src/dock/charger.ts after a timeout of the dock.'),
      document('d', 'The dock has a timeout. The charger of the dock is in src, in dock. TS is for timeout.'),
    );
    expect((await titles([id], 'OPS-4711'))[0]).toBe('b');
    expect((await titles([id], 'E_DOCK_TIMEOUT'))[0]).toBe('c');
    expect((await titles([id], 'src/dock/charger.ts'))[0]).toBe('c');
  });
});

describe('a search', () => {
  it('filters by source, kind, container, author and date', async () => {
    const first = await listed(
      document('1', 'The kettle is broken.', {
        kind: 'ticket',
        container: 'Kitchen',
        author: 'Ada',
        updatedAt: new Date('2026-03-01'),
      }),
      document('2', 'The kettle was bought by the office team.', {
        container: 'Office',
        author: 'Grace',
        updatedAt: new Date('2026-01-01'),
      }),
    );
    const second = await listed(document('3', 'A kettle boils water.'));
    const both = [first.id, second.id];
    expect((await titles(both, 'kettle')).sort()).toEqual(['1', '2', '3']);
    expect(await titles(both, 'kettle', { sources: [second.slug] })).toEqual(['3']);
    expect(await titles(both, 'kettle', { kind: 'ticket' })).toEqual(['1']);
    expect(await titles(both, 'kettle', { container: 'kitchen' })).toEqual(['1']);
    expect(await titles(both, 'kettle', { author: 'grace' })).toEqual(['2']);
    expect(await titles(both, 'kettle', { changedSince: '2026-02-01' })).toEqual(['1']);
    expect(await titles(both, 'kettle', { changedBefore: '2026-02-01T00:00:00Z' })).toEqual(['2']);
    expect(await titles(both, 'kettle', { container: 'Kitchen', author: 'Grace' })).toEqual([]);
  });

  it('says where a passage stands and who changed it when', async () => {
    const { id, slug } = await listed(
      document('t-1', 'The kettle is broken.', {
        kind: 'ticket',
        container: 'Kitchen',
        author: 'Ada',
        position: 'comment 3',
        updatedAt: new Date('2026-03-01'),
      }),
    );
    const { passages, citations } = await search([id], 'kettle');
    const cited = {
      title: 't-1',
      source: slug,
      container: 'Kitchen',
      author: 'Ada',
      position: 'comment 3, line 1',
      updatedAt: '2026-03-01T00:00:00.000Z',
    };
    expect(passages).toMatchObject([cited]);
    expect(citations).toMatchObject([{ n: 1, ...cited }]);
    const { content } = await knowledge.call('search', [id], { query: 'kettle' });
    expect(content).toMatchObject([
      { text: `[1] t-1 (${slug}: Kitchen, comment 3, line 1, by Ada, changed 2026-03-01)\nThe kettle is broken.` },
    ]);
  });

  it('shows near-duplicates once and names the others, but not those that differ in a number', async () => {
    const text = 'Hotels in London may cost up to 220 EUR for each night of a business trip, with breakfast.';
    const { id } = await listed(
      document('policy', text),
      document('copy', `${text.toUpperCase()} (Copy)`),
      document('old', text.replace('220', '180')),
    );
    const { passages } = await search([id], 'How much may a hotel in London cost?');
    expect(passages).toHaveLength(2);
    expect(passages.map(({ duplicates }: { duplicates: unknown[] }) => duplicates.length).sort()).toEqual([0, 1]);
  });

  it('does not name duplicates that the reader may not read', async () => {
    const groups = await server.app.get(GroupsService).create(organization.system, 'Board');
    const text = 'The harbour office closes on the last Friday of the month at noon, except in December.';
    const { id } = await listed(document('open', text), document('closed', text, { groups: ['Board'] }));
    expect((await search([id], 'harbour office')).passages).toMatchObject([{ title: 'open', duplicates: [] }]);
    const { passages } = await search([id], 'harbour office', { groups: [groups.id] });
    expect(passages).toHaveLength(1);
    expect(passages[0].duplicates).toHaveLength(1);
  });

  it('prefers a passage with more words of the query to one that repeats a word in its title', async () => {
    const { id } = await listed(
      document(
        'Buying things',
        'Purchases up to 500 EUR are yours to decide, with the card of the team. Above that, your lead decides, and above ' +
          '25,000 EUR the managing directors, with three offers. Software that will see confidential data needs a check by ' +
          'Security first, whatever it costs. The check takes eight working days. Subscriptions get an owner and an end date.',
      ),
      document('Cart software: rollout', 'New: a quieter chime, and a faster switch of maps.'),
      ...Array.from({ length: 20 }, (_, index) =>
        document(`note ${index}`, `Cart ${index} waits at its dock until the next delivery of the ward. `.repeat(4)),
      ),
    );
    expect((await titles([id], 'security check of new software'))[0]).toBe('Buying things');
  });

  it('prefers new and valid documents among equally good ones', async () => {
    const text = (name: string) => `The ${name} way to pay the ferry is the card of the harbour.`;
    const { id } = await listed(
      document('ferry one', text('first'), { updatedAt: new Date('2015-01-01') }),
      document('ferry two', text('second'), { updatedAt: new Date() }),
      document('ferry six (deprecated)', text('sixth'), { updatedAt: new Date() }),
    );
    const { passages } = await search([id], 'ferry card of the harbour');
    expect(passages[0]).toMatchObject({ title: 'ferry two', freshness: expect.closeTo(1, 3), authority: 1 });
    expect(passages.find(({ title }: { title: string }) => title.includes('six'))).toMatchObject({ authority: 0.85 });
  });
});

describe('an index of an earlier version', () => {
  it('is updated from the stored passages, without the source', async () => {
    const { id } = await listed(
      document('leave', 'Alle haben dreißig Urlaubstage. Bitte beantrage sie bei der Leitung.'),
    );
    await owner.query("update documents set index_version = 1, language = 'en' where connection_id = $1", [id]);
    await owner.query(
      `delete from postings p using chunks c, documents d
       where c.id = p.chunk_id and d.id = c.document_id and d.connection_id = $1`,
      [id],
    );
    lists.clear();
    await expect.poll(() => titles([id], 'Urlaubstag')).toEqual(['leave']);
    const { rows } = await owner.query('select language, index_version from documents where connection_id = $1', [id]);
    expect(rows).toEqual([{ language: 'de', index_version: 2 }]);
  });
});

describe('search by meaning', () => {
  let simulator: EmbeddingSimulator;
  let model: { id: string; status: string };
  let source: { id: string };
  const query = 'car park fee';

  beforeAll(async () => {
    simulator = await startEmbeddingSimulator({
      apiKey: 'key-1',
      synonyms: [
        ['car', 'vehicle', 'automobile'],
        ['fee', 'price', 'charge', 'rate'],
        ['park', 'garage', 'parking'],
      ],
    });
    source = await listed(
      document('garage', 'The garage asks a price of two coins for each automobile.'),
      document('menu', 'Soup of the day with bread and butter.'),
      document(
        'long',
        Array.from({ length: 90 }, (_, line) => `Row ${line} of the long table.\n\n${'filler '.repeat(180)}`).join(
          '\n\n',
        ),
      ),
      document('board', 'The board pays no vehicle charge in the garage.', { groups: [] }),
    );
    simulator.limit({ inputs: 40, characters: 6000 });
    simulator.fail({ status: 429, retryAfter: '0' }, 'incomplete', { status: 500 });
  });
  afterAll(() => simulator.close());

  const embedded = async () => {
    const { rows } = await owner.query<{ missing: number }>(
      `select count(*)::int as missing from chunks c join documents d on d.id = c.document_id
       where d.connection_id = $1
         and not exists (select 1 from passage_vectors v where v.chunk_id = c.id and v.bits is not null)`,
      [source.id],
    );
    return rows[0].missing;
  };
  /** The next attempt after a failure, without waiting for it. */
  const retryNow = () => owner.query('update embedding_spaces set due_at = now()');

  it('is off until a model is connected', async () => {
    const { passages, meaning } = await search([source.id], query);
    expect(meaning).toBe('off');
    expect(passages).toEqual([]);
  });

  it('is verified with one word when the model is connected', async () => {
    const settings = { baseUrl: simulator.url, model: 'simulated', requestsPerMinute: 100_000 };
    expect(
      await knowledge.connect({ kind: 'embeddings', slug: 'wrong', settings, secrets: { apiKey: 'key-2' } }),
    ).toMatchObject({ status: 'failed', statusReason: 'The provider rejected the API key (401). Enter a valid one.' });
    await owner.query("update connections set paused_at = now() where slug = 'wrong'");
    // the faults that wait are for the passages: verify before them
    model = await knowledge.connect({ kind: 'embeddings', slug: 'meaning', settings, secrets: { apiKey: 'key-1' } });
    expect(model.status).toBe('limited'); // the first fault: 429
  });

  it('embeds the passages in the background, in spite of faults and limits', async () => {
    await expect
      .poll(async () => {
        await retryNow();
        return embedded();
      })
      .toBe(0);
    expect(Math.max(...simulator.requests.map(({ input }) => input.length))).toBe(64);
    expect(simulator.requests.every(({ encoding_format }) => encoding_format === 'base64')).toBe(true);
    const { rows } = await owner.query(`select model, dimensions, passage_prefix from embedding_spaces`);
    expect(rows).toEqual([{ model: 'simulated', dimensions: 128, passage_prefix: '' }]);
    const { data } = await knowledge.request(
      '{ embeddingStatus { connectionId model dimensions embeddedDocuments documents tokensThisMonth } }',
    );
    expect(data.embeddingStatus).toMatchObject({ connectionId: model.id, model: 'simulated', dimensions: 128 });
    const usage = await owner.query<{ tokens: string }>('select sum(tokens) as tokens from embedding_usage');
    expect(Number(usage.rows[0].tokens)).toBeGreaterThan(1000);
  });

  it('finds passages that use other words, and none that the reader may not read', async () => {
    const { passages, meaning } = await search([source.id], query);
    expect(meaning).toBe('used');
    expect(passages[0]).toMatchObject({ title: 'garage', score: 0, coverage: 0, similarity: expect.any(Number) });
    expect(passages[0].similarity).toBeGreaterThan(0.5);
    expect(passages.map(({ title }: { title: string }) => title)).not.toContain('board');
  });

  it('asks the model once for a question', async () => {
    const before = simulator.requests.length;
    await search([source.id], 'a new question');
    await search([source.id], 'a new question');
    expect(simulator.requests.slice(before).map(({ input }) => input)).toEqual([['a new question']]);
  });

  it('requests the vector of a question again after the query prefix changed', async () => {
    const update = async (queryPrefix: string) => {
      const { data } = await knowledge.request('query ($id: ID!) { connection(id: $id) { revision } }', model);
      const input = { id: model.id, revision: data.connection.revision, settings: { queryPrefix } };
      const { errors } = await knowledge.request(
        'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }',
        { input },
      );
      expect(errors).toBeUndefined();
    };
    await search([source.id], 'a prefixed question');
    await update('query: ');
    const before = simulator.requests.length;
    await search([source.id], 'a prefixed question');
    await update('');
    expect(simulator.requests.slice(before).map(({ input }) => input)).toContainEqual(['query: a prefixed question']);
  });

  it('embeds changed passages again and deletes the vectors of erased ones', async () => {
    lists.set('listed-changing', [document('fare', 'The tariff for each automobile is due at the garage.')]);
    const { id } = await knowledge.connect({ kind: 'listed', slug: 'changing', settings: { list: 'listed-changing' } });
    await knowledge.waitUntilComplete(id);
    await expect.poll(() => titles([id], 'vehicle parking')).toEqual(['fare']);
    lists.set('listed-changing', []);
    await knowledge.sync(id);
    const { rows } = await owner.query(
      'select 1 from passage_vectors v where not exists (select 1 from chunks c where c.id = v.chunk_id)',
    );
    expect(rows).toEqual([]);
  });

  it('uses words alone while the model fails, and does not ask it for each search', async () => {
    simulator.fail('cut');
    const before = simulator.requests.length;
    expect((await search([source.id], 'soup with bread')).meaning).toBe('unavailable');
    const { passages, meaning } = await search([source.id], 'butter and soup');
    expect(meaning).toBe('unavailable');
    expect(passages).toMatchObject([{ title: 'menu', similarity: null }]);
    expect(simulator.requests).toHaveLength(before + 1);
  });

  it('deletes the vectors of a model that was removed', async () => {
    await knowledge.request('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', { id: model.id });
    await expect.poll(async () => (await owner.query('select 1 from passage_vectors limit 1')).rows).toEqual([]);
    expect((await search([source.id], query)).meaning).toBe('off');
  });
});
