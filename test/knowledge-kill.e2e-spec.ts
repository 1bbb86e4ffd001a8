import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { startServer } from '../src/server.js';
import pagedSource from './kit/paged-source.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // it serves requests; other processes run the syncs
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await owner.end();
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, {
    ROLE: 'worker',
    FOLDER_ROOTS: server.folder,
    CONNECTORS: path.resolve('test/kit/paged-source.ts'),
  });
  workers.push(worker);
  return worker;
}

/** Counts inconsistent rows. There must be none at any time, however a process ends. */
async function countInconsistentRows(): Promise<Record<string, string>> {
  const { rows } = await owner.query(`
    select (select count(*) from postings p where not exists (select 1 from chunks c where c.id = p.chunk_id)) as postings,
           (select count(*) from chunks c where not exists (select 1 from postings p where p.chunk_id = c.id)) as unindexed,
           (select count(*) from documents d where chunk_count <> (select count(*) from chunks c where c.document_id = d.id)) as documents,
           (select count(*) from index_partitions s where documents <> (select count(*) from documents d where d.partition_id = s.id)
              or chunks <> (select coalesce(sum(chunk_count), 0) from documents d where d.partition_id = s.id)
              or terms <> (select coalesce(sum(term_count), 0) from documents d where d.partition_id = s.id)) as partitions`);
  return rows[0];
}
const none = { postings: '0', unindexed: '0', documents: '0', partitions: '0' };

it('continues after a killed process, with every document either old or new', async () => {
  const many = 600;
  const folder = path.join(server.folder, 'many');
  mkdirSync(folder);
  for (let n = 0; n < many; n++)
    writeFileSync(
      path.join(folder, `page-${n}.md`),
      `# Page ${n}\n\n${`Sentence of page${n} about carts. `.repeat(40)}`,
    );
  const lark = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, lark, await lark.as());
  const { id } = await knowledge.connect({ kind: 'folder', slug: 'many', settings: { path: folder } });

  const first = await newWorker();
  await knowledge.until(id, ({ changed }) => changed > 20, 'on its way');
  await first.kill('SIGKILL');
  const { documentCount, state } = await knowledge.source(id);
  expect(state).not.toBe('complete');
  expect(documentCount).toBeLessThan(many);
  expect(await countInconsistentRows()).toEqual(none);
  const stored = (await owner.query('select external_id, indexed_at from documents order by external_id')).rows;

  await newWorker();
  const source = await knowledge.until(id, ({ state }) => state === 'complete', 'complete');
  expect(source).toMatchObject({
    documentCount: many,
    seen: many,
    changed: many - stored.length,
    removed: 0,
    problemCount: 0,
  });
  expect(await countInconsistentRows()).toEqual(none);
  // documents that the killed process had finished are not stored again
  const selectStored = 'select external_id, indexed_at from documents where external_id = any($1) order by external_id';
  expect((await owner.query(selectStored, [stored.map((row) => row.external_id)])).rows).toEqual(stored);
  expect((await knowledge.search([id], `page${many - 1}`)).passages).toHaveLength(1);
});

it('continues a listing of many parts at its last checkpoint after a killed process', async () => {
  for (const worker of workers) await worker.kill();
  server.app.get(ConnectorRegistry).register(pagedSource);
  const count = 400;
  const heath = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, heath, await heath.as());
  const { id } = await knowledge.connect({ kind: 'paged', slug: 'paged', settings: { count, page: 20 } });
  const first = await newWorker();
  await knowledge.until(id, ({ changed }) => changed > 60, 'on its way');
  await first.kill('SIGKILL');
  const [pass] = (
    await owner.query(`select (progress ->> 'at')::int as at from source_passes where connection_id = $1`, [id])
  ).rows;
  expect(pass.at).toBeGreaterThan(0);
  const selectStored = 'select external_id, indexed_at from documents where connection_id = $1 order by external_id';
  const stored = (await owner.query(selectStored, [id])).rows;
  expect(stored.length).toBeGreaterThanOrEqual(pass.at);
  expect(stored.length).toBeLessThan(count);

  await newWorker();
  expect(await knowledge.waitUntilComplete(id)).toMatchObject({ documentCount: count, seen: count, removed: 0 });
  const after = new Map((await owner.query(selectStored, [id])).rows.map((row) => [row.external_id, row.indexed_at]));
  for (const row of stored) expect(after.get(row.external_id)).toEqual(row.indexed_at);
  const [{ seen_before }] = (await owner.query('select seen_before from sources where connection_id = $1', [id])).rows;
  expect(seen_before).toBe(pass.at);
  expect(await countInconsistentRows()).toEqual(none);
  const rest = `select (select count(*)::int from source_passes where connection_id = $1) as passes,
    (select count(*)::int from source_pass_marks where connection_id = $1) as marks`;
  expect((await owner.query(rest, [id])).rows).toEqual([{ passes: 0, marks: 0 }]);
  expect(await knowledge.update(id, { count: count - 10 })).toMatchObject({ removed: 10, documentCount: count - 10 });
});

it('releases a run on shutdown, so that another process continues at once', async () => {
  for (const worker of workers) await worker.kill('SIGTERM');
  const stopping = await startServer(testConfig(server.databaseUrl, server.folder, { ROLE: 'worker' }));
  let begin: (value?: unknown) => void;
  const begun = new Promise((resolve) => (begin = resolve));
  for (const { app } of [server, stopping]) {
    app.get(ConnectorRegistry).register({
      id: 'endless',
      title: 'Endless',
      setUp: 'For tests.',
      fields: [],
      offers: ['knowledge'],
      verify: async () => ({ status: 'connected' }),
      async *documents() {
        yield { externalId: 'one', kind: 'doc', title: 'One', mediaType: 'text/plain', content: 'x', fingerprint: '1' };
        begin();
        await new Promise(() => undefined); // ignores the signal
      },
    });
  }
  const moor = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, moor, await moor.as());
  const { id } = await knowledge.connect({ kind: 'endless', slug: 'endless' });
  await begun;
  await stopping.close();
  const { rows } = await owner.query(
    'select run_id, running_until, complete_at, failure, next_at <= now() as due from sources where connection_id = $1',
    [id],
  );
  expect(rows).toEqual([{ run_id: null, running_until: null, complete_at: null, failure: null, due: true }]);
  expect(await countInconsistentRows()).toEqual(none);
});
