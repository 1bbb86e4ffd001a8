import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QueryableRunner } from '../src/platform/database/statement.js';
import { SuspectJobs } from '../src/platform/queue/suspect-jobs.js';
import { openLane } from '../src/platform/queue/suspect-jobs.sql.js';
import { cloneDatabase } from './kit/database.js';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let owner: Client;
let errors: string[];
beforeAll(async () => {
  database = await cloneDatabase();
  owner = new Client(database.url);
  await owner.connect();
  await new QueryableRunner(owner).execute(openLane);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

const work = { task: 'tick test', payload: {} };
const suspects = () => new SuspectJobs(new QueryableRunner(owner), ({ message }) => void errors.push(message), 200);
const holder = async () => {
  const lanes = await owner.query<{ locked_by: string | null }>(
    `select locked_by from graphile_worker._private_job_queues where queue_name = 'suspects'`,
  );
  return lanes.rows[0].locked_by;
};

it('the lane becomes free if the database fails at the end of the work that holds it', async () => {
  errors = [];
  await owner.query(
    `insert into suspect_jobs (task, payload, losses, total_losses, lost_at) values ($1, '{}', 1, 1, now())`,
    [work.task],
  );
  const lane = suspects();
  let held: string | null = null;
  const run = lane.runOutsideQueue('pool-1', work, async () => {
    held = await holder();
    for (const table of ['work_in_hand', 'suspect_jobs'])
      await owner.query(`alter table ${table} rename to ${table}_x`);
  });
  await expect(run).rejects.toThrow('does not exist');
  expect(held).toBe('pool-1 tick test {}');
  await expect.poll(() => errors.length).toBeGreaterThan(0); // an attempt that fails is repeated
  for (const table of ['work_in_hand', 'suspect_jobs']) await owner.query(`alter table ${table}_x rename to ${table}`);
  await expect.poll(holder).toBeNull();
  expect(await lane.runOutsideQueue('pool-1', work, async () => undefined)).toBe('admitted');
  expect(await holder()).toBeNull();
});
