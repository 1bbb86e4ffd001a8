import { afterAll, beforeAll, expect, it } from 'vitest';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { cents } from '../examples/vendor-simulator/ledger/ledger.js';
import { startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import { ExactSum } from '../src/spend/exact-sum.js';
import { CommitWatch } from './kit/commit-watch.js';
import { createVendorConnection } from './kit/fake-spend-vendor.js';
import { anOrganization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

/*
 * Kills processes at their first, second, third … commit, before and after it reaches the database. At any time, a day
 * is complete or missing. In the end, all days equal the vendor's ledger.
 */

const kills = 8;
let vendor: VendorSimulator;
let server: TestServer;
let owner: pg.Client;
let watch: CommitWatch;
let worker: ServerProcess | undefined;

beforeAll(async () => {
  vendor = await startSimulator({ seed: 7, people: 30, days: 40 });
  server = await testServer({ ROLE: 'web', CURSOR_URL: vendor.url });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  watch = await CommitWatch.start(server.databaseUrl, 'countersign-bulk');
});
afterAll(async () => {
  await worker?.kill();
  await watch.close();
  await owner.end();
  await server.close();
  await vendor.close();
});

const newWorker = () => serverProcess(watch.url, { ROLE: 'worker', CURSOR_URL: vendor.url });

interface StoredDay {
  day: string;
  revision: number;
  streams: number;
  pulled: number;
  events: number;
  charged: string;
  summed: string;
  people: number;
  revisions: number;
  rolled: string;
}
const storedDays = async (): Promise<StoredDay[]> =>
  (
    await owner.query<StoredDay>(
      `select k.day::text, max(k.revision) as revision, count(distinct k.revision)::int as streams,
              count(k.pulled_at)::int as pulled,
              (select coalesce(sum(c.events), 0)::int from spend_charges c where c.day = k.day) as events,
              (select coalesce(sum(c.charged_cents), 0)::text from spend_charges c where c.day = k.day) as charged,
              (select coalesce(sum(d.charged_cents), 0)::text from spend_days d where d.day = k.day) as summed,
              (select count(*)::int from spend_days d where d.day = k.day) as people,
              (select count(*)::int from spend_revisions r where r.day = k.day) as revisions,
              (select coalesce(sum(u.charged_cents), 0)::text from spend_unit_sums u
               where u.scope = 0 and u.span = 'day' and u.start = k.day) as rolled
       from spend_coverage k group by k.day order by k.day desc`,
    )
  ).rows;

function bookOf(day: string): { events: number; charged: string } {
  const sum = new ExactSum();
  let events = 0;
  for (const event of vendor.ledger.events({ from: day, to: day })) {
    events += 1;
    sum.add(cents(event.chargedMicrocents ?? 0));
  }
  return { events, charged: sum.toString() };
}

/** Every covered day is complete, and every other day is empty. */
async function expectWholeDays(): Promise<number> {
  const days = await storedDays();
  for (const { day, revision, streams, pulled, events, charged, summed, people, revisions, rolled } of days) {
    const exact = (amount: string) => new ExactSum(amount).toString();
    const book = revision ? bookOf(day) : { events: 0, charged: '0' };
    const stored = { streams, pulled, events, charged: exact(charged), summed: exact(summed), rolled: exact(rolled) };
    const whole = { streams: 1, pulled: revision ? 2 : 0, ...book, summed: book.charged, rolled: book.charged };
    expect({ day, ...stored }).toEqual({ day, ...whole });
    expect({ day, revision, revisions, hasPeople: people > 0 }).toEqual({
      day,
      revision: Math.min(1, revision),
      revisions: revision,
      hasPeople: revision > 0,
    });
  }
  return days.filter(({ revision }) => revision > 0).length;
}

it('leaves every day complete or missing, whichever commit a process is killed at', async () => {
  const ask = await (await anOrganization(server)).as();
  await createVendorConnection(ask, 'cursor', 'cursor', vendor.key);
  const known: number[] = [];
  for (let at = 1; at <= kills; at++) {
    worker = await newWorker();
    const { kill } = worker;
    await watch.arm({ at, when: at % 2 ? 'before' : 'after', kill: () => kill('SIGKILL') });
    known.push(await expectWholeDays());
    // expires the lease of the killed process, because no other process can claim it before
    await owner.query('update spend_feeds set lease_until = now()');
    await owner.query('delete from suspect_jobs'); // as if an administrator retried it
  }
  expect(known).toEqual([...known].sort((one, other) => one - other));
  expect(known.at(-1)).toBeGreaterThan(0);

  worker = await newWorker();
  const deadline = Date.now() + 600_000;
  for (;;) {
    const { rows } = await owner.query(
      `select 1 from spend_feeds where next_at > now() and lease_until is null and trouble is null`,
    );
    if (rows.length) break;
    if (Date.now() > deadline) throw new Error(worker.log());
    await rest(100);
  }
  expect(await expectWholeDays()).toBe(30);
  const { rows: runs } = await owner.query('select kind, state, days_done from spend_runs order by kind');
  expect(runs).toEqual([
    { kind: 'backfill', state: 'done', days_done: 28 },
    { kind: 'hourly', state: 'done', days_done: 2 },
  ]);
  const { rows: people } = await owner.query('select count(*)::int from spend_identities where has_seat');
  expect(people[0].count).toBe(30);
});

it('continues automatically after the lease of a killed process expires', async () => {
  await worker?.kill();
  worker = await newWorker();
  const { kill } = worker;
  await owner.query('delete from suspect_jobs');
  const sprung = watch.arm({ at: 2, when: 'before', kill: () => kill('SIGKILL') });
  await owner.query('update spend_feeds set daily_at = now(), next_at = now()');
  await sprung;
  const revisionsBefore = await storedDays();
  worker = await newWorker();
  const deadline = Date.now() + 600_000;
  for (;;) {
    const { rows } = await owner.query('select 1 from spend_feeds where daily_at > now() and lease_until is null');
    if (rows.length) break;
    if (Date.now() > deadline) throw new Error(worker.log());
    await rest(100);
  }
  expect(await storedDays()).toEqual(revisionsBefore);
});
