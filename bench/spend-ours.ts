import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import type { SessionsService as Sessions } from '../src/access/sessions.service.ts';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { ConnectorRegistry as Kinds } from '../src/connections/connector-registry.service.ts';
import type { ConnectionsService as Connections } from '../src/connections/connections.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { permissionsOfRoles as PermissionsOf } from '../src/principal/permissions.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import type { DayReplacementService as Swap } from '../src/spend/sync/day-replacement/day-replacement.service.ts';
import type { SpendVendorRegistry as Vendors } from '../src/spend/spend-vendor-registry.service.ts';
import { built } from './built.ts';
import { type Size, vendorOf } from './spend-rows.ts';

/*
 * The server from `dist/`, which syncs from simulated vendors without latency (SIZES), one after the other. A child
 * process of the benchmark. Its first line contains the results.
 */

export interface Load {
  seconds: number;
  rows: number;
  walBytes: number;
  longestSwapMs: number;
}
export interface Loaded {
  first: Load;
  again: Load;
  bytesPerDay: number;
}
export interface SpendBenchOutput {
  loaded: Loaded[];
  mostMegabytes: number;
  idleMegabytes: number;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { SessionsService } = await built<{ SessionsService: typeof Sessions }>('access/sessions.service');
const { ConnectionsService } = await built<{ ConnectionsService: typeof Connections }>(
  'connections/connections.service',
);
const { ConnectorRegistry } = await built<{ ConnectorRegistry: typeof Kinds }>(
  'connections/connector-registry.service',
);
const { SpendVendorRegistry } = await built<{ SpendVendorRegistry: typeof Vendors }>(
  'spend/spend-vendor-registry.service',
);
const { DayReplacementService } = await built<{ DayReplacementService: typeof Swap }>(
  'spend/sync/day-replacement/day-replacement.service',
);
const { permissionsOfRoles } = await built<{ permissionsOfRoles: typeof PermissionsOf }>('principal/permissions');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const { newId } = await built<typeof import('../src/platform/crypto/ids.ts')>('platform/crypto/ids');
const { tallyDayOnOrBefore } =
  await built<typeof import('../src/spend/reports/day-range.ts')>('spend/reports/day-range');

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const { app } = server;
const database = app.get(DatabaseService);
const { tenant, admin } = await app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } });
const system = systemPrincipal(tenant.id, 'bench');
const { session } = await app.get(SessionsService).open(system, { memberId: admin.id, isFresh: true });
const person = {
  ...system,
  kind: 'member' as const,
  memberId: admin.id,
  sessionId: session.id,
  freshAt: new Date(),
  surface: 'console' as const,
  permissions: permissionsOfRoles(admin.roles),
};

let longestSwapMs = 0;
const swaps = app.get(DayReplacementService);
const swap = swaps.replaceDay.bind(swaps);
swaps.replaceDay = async (...given) => {
  const before = performance.now();
  const isChanged = await swap(...given);
  longestSwapMs = Math.max(longestSwapMs, performance.now() - before);
  return isChanged;
};

await analyzeAnotherOrganization();
const sizes = JSON.parse(process.env.SIZES!) as Size[];
await rest(3000);
const idleMegabytes = megabytes('VmRSS');
const loaded: Loaded[] = [];
for (const [at, size] of sizes.entries()) loaded.push(await measure(`bench-${at}`, size));
const output: SpendBenchOutput = { loaded, mostMegabytes: megabytes('VmHWM'), idleMegabytes };
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));

/** The worst case for the planner: at the first sync, the statistics describe only another organization. */
async function analyzeAnotherOrganization(): Promise<void> {
  const about = { name: 'Other', slug: 'other', admin: { email: 'other@example.org', name: 'Other' } };
  const other = await app.get(TenantsService).create({ name: 'bench' }, about);
  const owner = new pg.Client(process.env.DATABASE_URL);
  await owner.connect();
  const connectionId = newId();
  await owner.query(
    `insert into connections (tenant_id, id, kind, name, slug, settings, revision, status, paused_at, created_at)
     values ($1, $2, 'cursor', 'other', 'other', '{}', 1, 'connected', now(), now())`,
    [other.tenant.id, connectionId],
  );
  await owner.query(
    `insert into spend_identities (tenant_id, connection_id, kind, key, is_ignored, has_seat, first_seen)
     select $1, $2, 'email', n || '@other.example', false, true, now() from generate_series(1, 200) n`,
    [other.tenant.id, connectionId],
  );
  await owner.query('analyze spend_identities, spend_slots');
  await owner.end();
}

async function measure(kind: string, size: Size): Promise<Loaded> {
  app.get(ConnectorRegistry).register({
    id: kind,
    title: kind,
    setUp: 'For the benchmark.',
    fields: [],
    offers: ['spend'],
    verify: async () => ({ status: 'connected' }),
  });
  app.get(SpendVendorRegistry).register(kind, vendorOf(size));
  const [bytesBefore, rowsBefore] = [await sizeOfDays(), await rowsOfDays()];
  let id = '';
  const first = await timed(async () => {
    ({ id } = await app.get(ConnectionsService).create(person, { kind, name: kind, slug: kind, settings: {} }));
    await idle(id);
  });
  const bytes = (await sizeOfDays()) - bytesBefore;
  const rows = (await rowsOfDays()) - rowsBefore;
  await settled(id); // background work of the first sync must not count for the second one
  const again = await timed(async () => {
    await query('update spend_feeds set weekly_at = now(), next_at = now() where connection_id = $1', [id]);
    await idle(id);
  });
  return { first: { ...first, rows }, again: { ...again, rows }, bytesPerDay: bytes / rows };
}

async function timed(work: () => Promise<void>): Promise<Omit<Load, 'rows'>> {
  longestSwapMs = 0;
  const walBefore = await wal();
  const before = performance.now();
  await work();
  const seconds = (performance.now() - before) / 1000;
  return { seconds, walBytes: (await wal()) - walBefore, longestSwapMs };
}

/** Waits until the sync has finished. */
async function idle(id: string): Promise<void> {
  for (;;) {
    const [feed] = await query<{ trouble: string | null; done: boolean }>(
      `select trouble_detail as trouble, lease_until is null and next_at > now() and not exists (
         select from spend_runs r where r.connection_id = f.connection_id and r.state = 'running') as done
       from spend_feeds f where connection_id = $1`,
      [id],
    );
    if (feed?.trouble) throw new Error(feed.trouble);
    if (feed?.done) return;
    await rest(50);
  }
}

/** Waits until the tallies for reports are complete. There are four tally days a month; a short range may have none. */
async function settled(id: string): Promise<void> {
  const last = tallyDayOnOrBefore(new Date().toISOString().slice(0, 10));
  for (;;) {
    const [mark] = await query<{ done: boolean }>(
      `select coalesce(settled_day >= $2 or (select min(day) >= $2 from spend_active_days a where a.connection_id = m.connection_id), false) as done
       from spend_tally_marks m where connection_id = $1`,
      [id, last],
    );
    if (mark?.done) return;
    await rest(100);
  }
}

function query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return database.tenant(system, (tx) => tx.run(statement<unknown[], Row & object>(text), values));
}
async function wal(): Promise<number> {
  const [{ bytes }] = await query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(bytes);
}
async function sizeOfDays(): Promise<number> {
  const [{ bytes }] = await query<{ bytes: string }>(`select pg_total_relation_size('spend_days') as bytes`);
  return Number(bytes);
}
async function rowsOfDays(): Promise<number> {
  const [{ rows }] = await query<{ rows: string }>('select count(*) as rows from spend_days');
  return Number(rows);
}

function megabytes(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 1024;
}
