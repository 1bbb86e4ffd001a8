import pg from 'pg';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import type { SearchService as Search } from '../src/knowledge/search.service.ts';
import { built } from './built.ts';
import { startEmbeddingSimulator } from '../examples/model-simulator/embeddings.ts';

/*
 * The built server with generated passages (PASSAGES, DIMENSIONS), their terms and vectors, in the format of the index. Runs
 * as a child process of the benchmark, and prints the times of the searches in its first line.
 */

export interface KnowledgeBenchOutput {
  passages: number;
  bytesPerPassage: number;
  lexicalMs: number[];
  hybridMs: number[];
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');
const { SearchService } = await built<{ SearchService: typeof Search }>('knowledge/search.service');

const passages = Number(process.env.PASSAGES);
const dimensions = Number(process.env.DIMENSIONS);
const searches = Number(process.env.SEARCHES);
const chunksPerDocument = 10;
/** The number of index partitions. The reader may read half of them. */
const partitions = 40;
const vocabulary = 200_000;
const termsPerPassage = 60;

const server = await startServer(
  Config.from({ PORT: '0', INTERNAL_PORT: '0', ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8', ...process.env }),
);
const database = server.app.get(DatabaseService);
const { tenant } = await server.app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } });
const system = systemPrincipal(tenant.id, 'bench');
const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  database.tenant(system, (tx) => tx.run(statement<unknown[], Row & object>(text), values));
const owner = new pg.Client(process.env.DATABASE_URL);
await owner.connect();
const simulator = await startEmbeddingSimulator({ dimensions });

const connectionId = await insertPassages();
const readerGroup = '00000000-0000-7000-8000-000000000001';
const lexicalMs = await measure();
await connectModel();
const hybridMs = await measure();
const output: KnowledgeBenchOutput = { passages, bytesPerPassage: await bytesPerPassage(), lexicalMs, hybridMs };
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().on('end', () => void stop());

async function stop(): Promise<void> {
  await owner.end();
  await simulator.close();
  await server.close();
  process.exit(0);
}

/** The time of each search, including the simulated embedding model. All questions differ. */
async function measure(): Promise<number[]> {
  const reader = { connectionIds: [connectionId], groups: [readerGroup], memberId: null };
  const search = (number: number) =>
    server.app.get(SearchService).search(system, reader, { query: questionOf(number), limit: 8 });
  await search(0);
  const taken: number[] = [];
  for (let number = 1; number <= searches; number++) {
    const before = performance.now();
    await search(number);
    taken.push(performance.now() - before);
  }
  return taken;
}

/** Five words: two rare ones, two of medium rarity and a frequent one. */
function questionOf(number: number): string {
  const word = (from: number, to: number, salt: number) =>
    `w${from + ((number * 7919 + salt * 104_729) % (to - from))}`;
  return [
    word(20_000, 200_000, 1),
    word(20_000, 200_000, 2),
    word(500, 5_000, 3),
    word(500, 5_000, 4),
    word(100, 300, 5),
  ].join(' ');
}

/** The frequencies of terms follow Zipf's law, like those of words. */
async function insertPassages(): Promise<string> {
  const [{ id }] = await query<{ id: string }>(
    `insert into connections (tenant_id, id, kind, name, slug, settings, revision, status, created_at)
     values ($1, gen_random_uuid(), 'documents', 'Bench', 'corpus', '{}', 1, 'connected', now()) returning id`,
    [tenant.id],
  );
  await owner.query(`
    create function pg_temp.passage(n int) returns uuid language sql immutable as
      $f$ select ('0199' || lpad(to_hex(n), 8, '0') || '70008000' || lpad(to_hex(n * 7919::bigint & 1048575), 12, '0'))::uuid $f$;
    create function pg_temp.partition(n int) returns uuid language sql immutable as
      $f$ select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid $f$`);
  await owner.query(
    `insert into index_partitions (tenant_id, id, connection_id, kind, group_ids, documents, chunks, terms, languages)
     select $1, pg_temp.partition(n), $2, 'doc', array[case when n % 2 = 0 then '00000000-0000-7000-8000-000000000001' else '00000000-0000-7000-8000-000000000002' end]::uuid[],
            $3::int / $4::int / $5::int, $3::int / $4::int, ($3::int / $4::int)::bigint * 200, '{en}'
     from generate_series(0, $4::int - 1) n`,
    [tenant.id, id, passages, partitions, chunksPerDocument],
  );
  await owner.query(
    `insert into documents (tenant_id, id, connection_id, external_id, kind, title, media_type, partition_id, fingerprint, chunk_count, term_count, indexed_at, index_version)
     select $1, pg_temp.passage(n * $3::int), $2, 'doc-' || n, 'doc', 'Document ' || n, 'text/plain', pg_temp.partition(n % $5::int), '', $3, $3 * 200, now(), 2
     from generate_series(0, $4::int / $3::int - 1) n`,
    [tenant.id, id, chunksPerDocument, passages, partitions],
  );
  await owner.query(
    `insert into chunks (tenant_id, id, document_id, number, heading, text, unit, starts, ends)
     select $1, pg_temp.passage(n), pg_temp.passage(n / $2::int * $2::int), n % $2::int, '{}',
            (select string_agg('w' || (power($4::float8, abs(hashint4(n * 61 + t)) / 2147483648.0))::int, ' ') from generate_series(1, 200) t), 'line', n % $2::int, n % $2::int
     from generate_series(0, $3::int - 1) n`,
    [tenant.id, chunksPerDocument, passages, vocabulary],
  );
  await owner.query(
    `insert into postings (tenant_id, partition_id, term, chunk_id, weight, length)
     select $1, pg_temp.partition(n / $2::int % $5::int), 'w' || term, pg_temp.passage(n), least(count(*), 9)::smallint, 200
     from generate_series(0, $3::int - 1) n
     cross join lateral (select (power($4::float8, abs(hashint4(n * 61 + t)) / 2147483648.0))::int as term from generate_series(1, $6::int) t) own
     group by n, term order by 2, 3, 4`,
    [tenant.id, chunksPerDocument, passages, vocabulary, partitions, termsPerPassage],
  );
  await owner.query('vacuum analyze');
  return id;
}

/** The vectors of all passages: random directions, because only their number matters for the time. */
async function connectModel(): Promise<void> {
  const settings = { baseUrl: simulator.url, model: 'bench' };
  await query(
    `insert into connections (tenant_id, id, kind, name, slug, settings, revision, status, created_at)
     values ($1, gen_random_uuid(), 'embeddings', 'Model', 'model', $2, 1, 'connected', now())`,
    [tenant.id, JSON.stringify(settings)],
  );
  let space: { id: string } | undefined;
  while (!space) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    [space] = await query<{ id: string }>('select id from embedding_spaces where tenant_id = $1', [tenant.id]);
  }
  // the job must not embed the passages one by one
  await owner.query(`update embedding_spaces set dimensions = $1, due_at = 'infinity'`, [dimensions]);
  await owner.query('delete from passage_vectors');
  await owner.query(
    `insert into passage_vectors (tenant_id, partition_id, space_id, chunk_id, bits, vector)
     select $1, pg_temp.partition(n / $2::int % $4::int), $5, pg_temp.passage(n), left(bits, $6)::bit varying, substring(decode(md5 || md5 || md5 || md5, 'hex') || decode(repeat(md5, 60), 'hex') from 1 for $6)
     from generate_series(0, $3::int - 1) n
     cross join lateral (select md5(n::text) as md5, (select string_agg((('x' || md5(n || '-' || part))::bit(128))::text, '') from generate_series(1, $6::int / 128 + 1) part) as bits) own`,
    [tenant.id, chunksPerDocument, passages, partitions, space.id, dimensions],
  );
  await owner.query('vacuum analyze passage_vectors');
}

async function bytesPerPassage(): Promise<number> {
  const { rows } = await owner.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(name::regclass)) as bytes from unnest(array['documents', 'chunks', 'postings']) name`,
  );
  return Number(rows[0].bytes) / passages;
}
