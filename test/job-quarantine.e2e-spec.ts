import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import { databaseSchema } from '../src/migrations.js';
import { operatorCommands } from '../src/operator/commands.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { createVendorConnection } from './kit/fake-spend-vendor.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

/*
 * Real processes that are killed by their jobs. Three kinds of sources: `deadly` kills the process while its file
 * exists; `patient` waits for its file; `plain` has one document.
 */

const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'deadly-'));
const file = (name: string) => path.join(folder, name);
const linesOf = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : []);

const runs = {
  deadly: `
    if (existsSync(at('deadly'))) {
      while (!existsSync(at('patient.log'))) await rest(20);
      appendFileSync(at('deadly.log'), process.pid + '\\n');
      process.kill(process.pid, 'SIGKILL');
      await new Promise(() => undefined);
    }`,
  patient: `
    appendFileSync(at('patient.log'), process.pid + '\\n');
    while (!existsSync(at('go'))) await rest(20);`,
  plain: '',
};
const connectors = Object.entries(runs).map(([id, run]) => {
  writeFileSync(
    file(`${id}.mjs`),
    `import { appendFileSync, existsSync } from 'node:fs';
     import { setTimeout as rest } from 'node:timers/promises';
     const at = (name) => ${JSON.stringify(`${folder}/`)} + name;
     export default {
       id: '${id}', title: '${id}', setUp: 'For tests.', fields: [], offers: ['knowledge'],
       verify: async () => ({ status: 'connected' }),
       async *documents() {
         ${run}
         yield { externalId: 'one', kind: 'doc', title: 'One', mediaType: 'text/plain', content: 'A cart.', fingerprint: '1' };
       },
     };`,
  );
  return file(`${id}.mjs`);
});
const settings = { CONNECTORS: connectors.join(',') };

let vendor: VendorSimulator;
let server: TestServer;
let owner: pg.Client;
let lark: Organization;
let ask: GraphqlRequest;
let knowledge: KnowledgeFixture;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  vendor = await startSimulator({ seed: 7, people: 3, days: 3 });
  server = await testServer({ ...settings, ROLE: 'web', CURSOR_URL: vendor.url }); // serves requests; other processes run the jobs
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  lark = await anOrganization(server);
  ask = await lark.as();
  knowledge = new KnowledgeFixture(server, lark, ask);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await owner.end();
  await server.close();
  await vendor.close();
});

async function newWorker(given: Record<string, string> = { CURSOR_URL: vendor.url }): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ...settings, ...given, ROLE: 'worker' });
  workers.push(worker);
  return worker;
}
async function stopAll(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
}
const died = () => workers.filter((worker) => !worker.isAlive()).length;
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 100_000;
  for (; !(await isSo()); await rest(50))
    if (Date.now() > deadline) throw new Error(`${isSo.toString()}\n${workers.at(-1)?.log()}`);
}
const rowsOf = async <T extends object>(text: string, values: unknown[] = []) =>
  (await owner.query<T & pg.QueryResultRow>(text, values)).rows;

interface Suspect {
  task: string;
  connection: string;
  losses: number;
  isQuarantined: boolean;
}
const suspects = () =>
  rowsOf<Suspect>(`
    select task, payload ->> 'connectionId' as connection, losses, quarantined_at is not null as "isQuarantined"
    from suspect_jobs order by 1, 2`);
const quarantined = async (as: GraphqlRequest = ask) => {
  const { data, errors } = await as(
    '{ quarantinedJobs { id task connectionId sourceId lostProcesses quarantinedAt } }',
  );
  expect(errors).toBeUndefined();
  return data.quarantinedJobs as { id: string; task: string; connectionId: string; lostProcesses: number }[];
};
const audited = (kind: string) =>
  rowsOf<{ subject: object; actor: { name: string } }>(
    'select subject, actor from audit_events where tenant_id = $1 and kind = $2 order by id',
    [lark.tenant.id, kind],
  );

/** Runs an operator's command and returns its output. */
async function admin(...words: string[]): Promise<string> {
  const said: string[] = [];
  const fixture = {
    get: <T>(token: abstract new (...given: never[]) => T) => server.app.get(token as never, { strict: false }) as T,
    close: async () => undefined,
  };
  await operatorCommands({
    print: (line) => void said.push(line),
    openApplication: async () => fixture as never,
    databaseSchema,
  }).parseAsync(['node', 'countersign', 'admin', ...words]);
  return said.join('\n');
}

describe('a job that kills its process', () => {
  const ids: Record<string, string> = {};

  it('is quarantined after two processes, and a concurrent job completes', async () => {
    writeFileSync(file('deadly'), '');
    ids.patient = (await knowledge.connect({ kind: 'patient', slug: 'patient' })).id;
    ids.deadly = (await knowledge.connect({ kind: 'deadly', slug: 'deadly' })).id;

    const first = await newWorker();
    await until(() => !first.isAlive());
    // both jobs are equally suspect
    await newWorker();
    await until(async () => (await suspects()).length > 0);
    for (let begun = linesOf('patient.log').length; !(await quarantined()).length; await rest(50)) {
      if (!workers.at(-1)!.isAlive()) await newWorker();
      // during the second run of the harmless job, no other suspect starts
      if (linesOf('patient.log').length > begun && !existsSync(file('go'))) {
        begun = linesOf('patient.log').length;
        const deaths = died();
        await knowledge.startSync(ids.deadly);
        const { id } = await knowledge.connect({ kind: 'plain', slug: 'beside' });
        await knowledge.until(id, ({ state }) => state === 'complete', 'complete');
        expect(died()).toBe(deaths);
        writeFileSync(file('go'), '');
      }
    }
    writeFileSync(file('go'), '');
    expect(await quarantined()).toMatchObject([{ task: 'knowledge.sync', connectionId: ids.deadly, lostProcesses: 2 }]);
    expect(died()).toBe(2);
    expect(linesOf('deadly.log')).toHaveLength(2);
    await knowledge.until(ids.patient, ({ state }) => state === 'complete', 'complete');
    await until(async () => (await suspects()).length === 1);
  });

  it('is not started again, while other jobs run', async () => {
    await knowledge.startSync(ids.deadly);
    const { id } = await knowledge.connect({ kind: 'plain', slug: 'plain' });
    await knowledge.until(id, ({ state }) => state === 'complete', 'complete');
    expect(
      await rowsOf(`select 1 from graphile_worker._private_jobs where payload ->> 'connectionId' = $1`, [ids.deadly]),
    ).toEqual([]);
    expect(linesOf('deadly.log')).toHaveLength(2);
    expect(workers.at(-1)!.isAlive()).toBe(true);
  });

  it('is reported to the operator and to the administrators of its organization', async () => {
    const [{ id }] = await quarantined();
    await until(async () => (await audited('job.quarantined')).length > 0);
    expect(await audited('job.quarantined')).toMatchObject([{ subject: { type: 'job', id, name: 'knowledge.sync' } }]);
    await until(() => workers.at(-1)!.log().includes(`countersign-operator admin release-job ${id}`));
    expect(await admin('jobs')).toContain(id);
    expect(await admin('jobs')).toContain(lark.tenant.name);
    expect(await quarantined(await (await anOrganization(server)).as())).toEqual([]);
  });

  it('is quarantined again after one more process if the retry fails', async () => {
    const [{ id }] = await quarantined();
    const { errors } = await ask('mutation ($id: ID!) { retryQuarantinedJob(input: { id: $id }) { task } }', { id });
    expect(errors).toBeUndefined();
    expect(await audited('job.retried')).toMatchObject([{ actor: { kind: 'member' }, subject: { id } }]);
    await until(() => died() === 3);
    await newWorker();
    await until(async () => (await quarantined()).length === 1);
    expect(linesOf('deadly.log')).toHaveLength(3);
    const { code } = await (
      await (await anOrganization(server)).as()
    )('mutation ($id: ID!) { retryQuarantinedJob(input: { id: $id }) { task } }', { id });
    expect(code).toBe('job-not-found');
  });

  it('runs again when the operator releases it, and is cleared when it ends', async () => {
    rmSync(file('deadly'));
    const [{ id }] = await quarantined();
    expect(await admin('release-job', id)).toContain('knowledge.sync is released');
    await knowledge.until(ids.deadly, ({ state }) => state === 'complete', 'complete');
    await until(async () => (await suspects()).length === 0);
    expect((await audited('job.retried')).map(({ actor }) => actor.name)).toEqual([expect.anything(), 'operator']);
    await expect(admin('release-job', id)).rejects.toThrow('No quarantined job has the id');
    expect(await admin('jobs')).toBe('No quarantined jobs.');
  });

  it('is not a suspect after its process was stopped regularly', async () => {
    rmSync(file('go'));
    const begun = linesOf('patient.log').length;
    await knowledge.startSync(ids.patient);
    await until(() => linesOf('patient.log').length > begun);
    await workers.at(-1)!.kill('SIGTERM');
    writeFileSync(file('go'), '');
    await newWorker();
    const { id } = await knowledge.connect({ kind: 'plain', slug: 'plain-too' });
    await knowledge.until(id, ({ state }) => state === 'complete', 'complete');
    await until(async () => (await rowsOf('select 1 from job_pools')).length === 1);
    expect(await suspects()).toEqual([]);
  });
});

describe('a spend sync that kills its process', () => {
  it('is quarantined after two processes, and continues when it is retried', async () => {
    await stopAll();
    let requests = 0;
    const deadly = createServer(() => {
      requests += 1;
      workers.at(-1)!.signal('SIGKILL');
    });
    await new Promise<void>((listening) => deadly.listen(0, '127.0.0.1', listening));
    const CURSOR_URL = `http://127.0.0.1:${(deadly.address() as AddressInfo).port}`;
    const connectionId = await createVendorConnection(ask, 'cursor', 'cursor', vendor.key);
    const feed = async () =>
      (
        await rowsOf<{ isDue: boolean; isRead: boolean; epoch: string }>(
          `select next_at <= now() as "isDue", data_since is not null as "isRead", lease_epoch as epoch
           from spend_feeds f left join lateral (
             select min(day) as data_since from spend_coverage c where c.connection_id = f.connection_id and revision > 0) c on true`,
        )
      )[0];

    for (let lost = 1; lost <= 2; lost++) {
      const worker = await newWorker({ CURSOR_URL });
      await until(() => !worker.isAlive());
      expect(requests).toBe(lost);
      await owner.query('update spend_feeds set lease_until = now()'); // expires the lease
    }
    const third = await newWorker({ CURSOR_URL });
    await until(async () => (await quarantined()).length === 1);
    const [{ id, task }] = await quarantined();
    expect(await quarantined()).toMatchObject([{ task: 'spend.sync', connectionId, lostProcesses: 2 }]);
    await until(async () => !(await feed()).isDue);
    expect({ task, requests, isAlive: third.isAlive() }).toEqual({ task: 'spend.sync', requests: 2, isAlive: true });
    await third.kill('SIGTERM');
    deadly.close();

    await newWorker();
    const { errors } = await ask('mutation ($id: ID!) { retryQuarantinedJob(input: { id: $id }) { task } }', { id });
    expect(errors).toBeUndefined();
    await owner.query('update spend_feeds set next_at = now()'); // skips the retry delay
    await until(async () => (await feed()).isRead && !(await suspects()).length);
  });
});

describe('a lost process', () => {
  beforeAll(async () => {
    await stopAll();
    await newWorker();
  });

  const payload = () => ({ tenantId: lark.tenant.id, connectionId: newId() });
  const enqueue = (of: object, key: string | null = null) =>
    server.app
      .get(DatabaseService)
      .tenant({ tenantId: lark.tenant.id }, (tx) =>
        runSql(tx, 'select cs_enqueue($1, $2, $3, null, 10)', ['no.such.task', JSON.stringify(of), key]),
      );
  const jobs = (of: { connectionId: string }) =>
    rowsOf<{ key: string | null; lane: string | null }>(
      `select j.key, q.queue_name as lane from graphile_worker._private_jobs j
       left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
       where payload ->> 'connectionId' = $1 order by j.id`,
      [of.connectionId],
    );
  const suspect = async (of: { connectionId: string }) =>
    (await suspects()).find(({ connection }) => connection === of.connectionId);
  /** Simulates the loss of processes that were running this job. */
  async function lose(of: { connectionId: string }, { pools = 1, isStopping = false } = {}): Promise<void> {
    const names = Array.from({ length: pools }, () => newId());
    await owner.query('begin');
    for (const name of names) {
      await owner.query('insert into job_pools values ($1, 1, $2)', [name, isStopping]);
      await owner.query(
        `update graphile_worker._private_jobs set locked_by = $1, locked_at = now(), attempts = attempts + 1
         where id = (select id from graphile_worker._private_jobs where payload ->> 'connectionId' = $2
                     and locked_at is null order by id limit 1)`,
        [name, of.connectionId],
      );
    }
    await owner.query('commit');
    await until(async () => !(await rowsOf('select 1 from job_pools where pool_id = any ($1)', [names])).length);
  }

  it('makes its jobs suspects in one shared lane, also when they are enqueued again', async () => {
    const job = payload();
    await enqueue(job, `key-${job.connectionId}`);
    await lose(job);
    expect(await suspect(job)).toMatchObject({ losses: 1, isQuarantined: false });
    await enqueue(job, `key-${job.connectionId}`);
    expect(await jobs(job)).toEqual([{ key: `key-${job.connectionId}`, lane: 'suspects' }]);
  });

  it('is not counted if it was shutting down', async () => {
    const job = payload();
    await enqueue(job);
    await lose(job, { isStopping: true });
    expect(await suspect(job)).toBeUndefined();
    expect(await jobs(job)).toEqual([{ key: null, lane: null }]);
  });

  it('is counted for a job with a payload of any size', async () => {
    const job = { ...payload(), content: randomBytes(20_000).toString('base64') };
    await enqueue(job);
    await lose(job);
    expect(await suspect(job)).toMatchObject({ losses: 1, isQuarantined: false });
  });

  it('is counted once if other processes are lost at the same time', async () => {
    const job = payload();
    await enqueue(job);
    await enqueue(job);
    await lose(job, { pools: 2 });
    expect(await suspect(job)).toMatchObject({ losses: 1, isQuarantined: false });
  });

  it('removes its job from the queue if it is the second one, until a release restores the job with its key', async () => {
    const job = payload();
    await enqueue(job, `key-${job.connectionId}`);
    await lose(job);
    await lose(job);
    expect(await jobs(job)).toEqual([]);
    await enqueue(job, `key-${job.connectionId}`);
    expect(await jobs(job)).toEqual([]);
    const { id } = (await quarantined()).find(({ connectionId }) => connectionId === job.connectionId)!;
    await admin('release-job', id);
    expect(await jobs(job)).toEqual([{ key: `key-${job.connectionId}`, lane: 'suspects' }]);
  });

  it('is counted after a transaction that enqueues its job, so that no quarantined job starts', async () => {
    const job = payload();
    await enqueue(job);
    await lose(job);
    const other = new pg.Client(server.databaseUrl);
    await other.connect();
    await other.query('begin');
    await other.query(`select cs_enqueue('no.such.task', $1, null, null, 10)`, [JSON.stringify(job)]);
    const lost = lose(job);
    await until(async () =>
      Boolean(
        (await rowsOf(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`))
          .length,
      ),
    );
    await other.query('commit');
    await other.end();
    await lost;
    expect(await suspect(job)).toMatchObject({ isQuarantined: true });
    expect(await jobs(job)).toEqual([]);
  });

  /** Simulates the loss of a process that was running this periodic task. */
  async function loseDuring(tick: string): Promise<void> {
    const pool = newId();
    await owner.query('begin');
    await owner.query('insert into job_pools values ($1, 1)', [pool]);
    await owner.query(`insert into work_in_hand values ($1, $2, '{}')`, [pool, `tick ${tick}`]);
    await owner.query('commit');
    await until(async () => !(await rowsOf('select 1 from job_pools where pool_id = $1', [pool])).length);
  }

  it('makes its periodic task wait while another suspect runs, which may be the cause', async () => {
    const lane = (holder: string | null) =>
      owner.query(
        `update graphile_worker._private_job_queues set locked_by = $1, locked_at = case when $1::text is not null then now() end
         where queue_name = 'suspects'`,
        [holder],
      );
    const isSuspect = async () => (await suspects()).some(({ task }) => task === 'tick estate.due');
    const dueTimes = new Set<string>();
    await lane(`${newId()} no.such.task {}`);
    await loseDuring('estate.due');
    await until(async () => {
      const due = await rowsOf<{ at: string }>(
        `select due_at::text as at from ticks where name = 'estate.due' and due_at <= now()`,
      );
      for (const { at } of due) dueTimes.add(at);
      return dueTimes.size > 2; // it is claimed and postponed again and again
    });
    expect(await isSuspect()).toBe(true);
    await lane(null);
    await until(async () => !(await isSuspect()));
  });

  it('quarantines only its own periodic job', async () => {
    const lose = () => loseDuring('estate.due');
    const held = new pg.Client(server.databaseUrl);
    await held.connect();
    await lose();
    // a successful run in between clears the suspicion
    await until(async () => !(await suspects()).some(({ task }) => task === 'tick estate.due'));
    await held.query('begin');
    await held.query(`update ticks set due_at = now() + interval '1 day' where name = 'estate.due'`);
    await held.query('commit');
    await lose();
    await lose();
    expect((await suspects()).find(({ task }) => task === 'tick estate.due')).toMatchObject({ isQuarantined: true });
    await held.query(`update ticks set due_at = now() where name = 'estate.due'`);
    await until(
      async () => (await rowsOf(`select 1 from ticks where name = 'estate.due' and due_at > now()`)).length === 1,
    );
    expect((await suspects()).find(({ task }) => task === 'tick estate.due')).toMatchObject({ isQuarantined: true });
    const line = (await admin('jobs')).split('\n').find((each) => each.includes('tick estate.due'))!;
    expect(line).toContain('(installation)');
    await admin('release-job', line.split(' ')[0]);
    await until(async () => !(await suspects()).some(({ task }) => task === 'tick estate.due'));
    await held.end();
  });
});
