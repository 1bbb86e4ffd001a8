import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let owner: Client;
beforeAll(async () => {
  server = await testServer();
  owner = new Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 100));
};
const count = async (text: string) => Number((await owner.query<{ count: string }>(text)).rows[0].count);
/** The database backend that holds this server's presence lock, or null. */
const presenceBackend = async () => {
  const { rows } = await owner.query<{ pid: number }>(`
    select l.pid from job_pools p join pg_locks l on l.locktype = 'advisory' and l.objid = p.lock
    where l.database = (select oid from pg_database where datname = current_database())`);
  return rows[0]?.pid ?? null;
};

it('adds a job only if its transaction commits', async () => {
  const principal = { tenantId: newId() };
  const enqueue = (fail: boolean) =>
    server.app.get(DatabaseService).tenant(principal, async (tx) => {
      await runSql(tx, `select cs_enqueue('no.such.task', '{}', null, now() + interval '1 day', 1)`);
      if (fail) throw new Error('on purpose');
    });
  await expect(enqueue(true)).rejects.toThrow('on purpose');
  await expect(count('select count(*) from graphile_worker.jobs')).resolves.toBe(0);
  await enqueue(false);
  await expect(count('select count(*) from graphile_worker.jobs')).resolves.toBe(1);
});

it('announces the process again after its connection was lost', async () => {
  await until(async () => (await presenceBackend()) !== null);
  const before = await presenceBackend();
  await owner.query('select pg_terminate_backend($1)', [before]);
  await until(async () => ![null, before].includes(await presenceBackend()));
});

it('releases the jobs of a lost process', async () => {
  await owner.query(`insert into job_pools values ('a-dead-pool', 1)`);
  await owner.query(`update graphile_worker._private_jobs set locked_by = 'a-dead-pool', locked_at = now()`);
  await until(async () => (await count('select count(*) from graphile_worker.jobs where locked_by is not null')) === 0);
  await expect(count(`select count(*) from job_pools where pool_id = 'a-dead-pool'`)).resolves.toBe(0);
});
