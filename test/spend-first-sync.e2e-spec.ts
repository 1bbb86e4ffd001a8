import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../src/principal/principal.js';
import { PeopleImportService } from '../src/people/imports/people-import.service.js';
import { SpendSyncScheduler } from '../src/spend/sync/spend-sync-scheduler.service.js';
import {
  createVendorConnection,
  dayAgo,
  FakeSpendVendor,
  vendorIdentity,
  currentDay,
  vendorUsage,
} from './kit/fake-spend-vendor.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

/*
 * The first sync of a large organization runs with planner statistics from before the organization existed. The tests
 * set these statistics and turn autovacuum off, so that the planner sees exactly them during the whole sync.
 */

const manyPeople = 40_000;
let server: TestServer;
let owner: pg.Client;
let kinds = 0;

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  const { rows } = await owner.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname like 'spend\\_%'`,
  );
  for (const { name } of rows) await owner.query(`alter table ${name} set (autovacuum_enabled = false)`);
});
afterAll(async () => {
  await owner.end();
  await server.close();
});
beforeEach(() => owner.query('update connections set paused_at = now() where paused_at is null'));

/** Connects a vendor with this number of people and waits until the first sync ends or fails. */
async function firstSync(people: number): Promise<{ rows: number; trouble: string | null }> {
  const kind = `large-${++kinds}`;
  const vendor = FakeSpendVendor.register(server, kind);
  const names = Array.from({ length: people }, (_, number) => `person.${number}`);
  vendor.daysBack = 2;
  vendor.pageSize = 1000;
  vendor.people = names.map((name) => ({ identity: vendorIdentity(name), role: 'member', isRemoved: false }));
  vendor.rows = names.flatMap((name) => [
    vendorUsage(name, currentDay(), { clientVersion: '3.1.4' }),
    vendorUsage(name, dayAgo(1), { clientVersion: '3.1.3' }),
  ]);
  const organization = await anOrganization(server);
  const connection = await createVendorConnection(await organization.as(), kind);
  for (;;) {
    await server.app.get(SpendSyncScheduler).startDue();
    const { rows } = await owner.query<{ trouble: string | null; isIdle: boolean }>(
      `select trouble_detail as trouble, lease_until is null and next_at > now() and not exists (
         select from spend_runs r where r.connection_id = f.connection_id and r.state = 'running') as "isIdle"
       from spend_feeds f where connection_id = $1`,
      [connection],
    );
    if (rows[0]?.trouble || rows[0]?.isIdle) {
      const { rows: counted } = await owner.query<{ count: number }>(
        'select count(*)::int as count from spend_days where tenant_id = $1',
        [organization.tenant.id],
      );
      return { rows: counted[0].count, trouble: rows[0].trouble };
    }
    await sleep(200);
  }
}

const analyze = async () => {
  const { rows } = await owner.query<{ name: string }>(
    `select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname like 'spend\\_%'`,
  );
  for (const { name } of rows) await owner.query(`analyze ${name}`);
};

describe('the first sync of a large organization', () => {
  it('completes with statistics of another organization only', { timeout: 600_000 }, async () => {
    expect(await firstSync(200)).toEqual({ rows: 400, trouble: null });
    await analyze();
    expect(await firstSync(manyPeople)).toEqual({ rows: 2 * manyPeople, trouble: null });
  });
});

describe('an import of many people', () => {
  it('completes with statistics of another organization only', { timeout: 600_000 }, async () => {
    const lists = server.app.get(PeopleImportService);
    const apply = async (principal: Principal, people: number, group: string) => {
      const lines = Array.from({ length: people }, (_, n) => `p${n}@carts.example,Person ${n} ${group},${group}`);
      const csv = ['email,name,group', ...lines].join('\n');
      const { hash } = await lists.preview(principal, csv);
      return lists.apply(principal, { csv, hash, skipsFaulty: false });
    };
    const known = await anOrganization(server);
    await apply(known.system, 200, 'Before');
    await analyze();
    const large = await anOrganization(server);
    expect((await apply(large.system, 30_000, 'First')).added).toHaveLength(30_000);
    expect((await apply(large.system, 30_000, 'Second')).changed).toHaveLength(30_000);
  });
});
