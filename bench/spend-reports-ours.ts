import pg from 'pg';
import type { SessionsService as Sessions } from '../src/access/sessions.service.ts';
import type { MembersService as Members } from '../src/access/members.service.ts';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import type { RollupsService as RollupsOf } from '../src/spend/reports/rollups.service.ts';
import type { RollupMaintenanceService as SettlingOf } from '../src/spend/reports/rollup-maintenance.service.ts';
import { built } from './built.ts';

/*
 * The built server, with years of generated usage (PEOPLE, DAYS). A child process of the benchmark. Its first line
 * contains the URL and the parameters of the reports.
 */

export interface ReportsBenchOutput {
  url: string;
  cookie: string;
  origin: string;
  people: number;
  lastDay: string;
  /** Ids of some people, groups and cost centers, for filters. */
  personIds: string[];
  groupIds: string[];
  costCentreIds: string[];
  /** Median time to update the roll-ups of one day. */
  dayChangedMs: number;
  bytesPerDay: number;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { SessionsService, sessionCookie } = await built<{ SessionsService: typeof Sessions; sessionCookie: string }>(
  'access/sessions.service',
);
const { MembersService } = await built<{ MembersService: typeof Members }>('access/members.service');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');
const { RollupsService } = await built<{ RollupsService: typeof RollupsOf }>('spend/reports/rollups.service');
const { RollupMaintenanceService } = await built<{ RollupMaintenanceService: typeof SettlingOf }>(
  'spend/reports/rollup-maintenance.service',
);

const people = Number(process.env.PEOPLE);
const days = Number(process.env.DAYS);
const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const database = server.app.get(DatabaseService);
const { tenant } = await server.app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } });
const system = systemPrincipal(tenant.id, 'bench');
const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  database.tenant(system, (tx) => tx.run(statement<unknown[], Row & object>(text), values));

const connectionId = await insertPeople();
await insertUsage();
const dayChangedMs = await rollUp();
const analyst = await server.app
  .get(MembersService)
  .create(system, { email: 'analyst@example.org', name: 'Analyst', roles: ['analyst'] });
await query('insert into spend_views (tenant_id, member_id, granted_at) values ($1, $2, now())', [
  tenant.id,
  analyst.id,
]);
const { token } = await server.app.get(SessionsService).open(system, { memberId: analyst.id, isFresh: true });
const output: ReportsBenchOutput = {
  url: `${server.config.baseUrl}/graphql`,
  origin: server.config.baseUrl,
  cookie: `${sessionCookie}=${token}`,
  people,
  lastDay: new Date().toISOString().slice(0, 10),
  personIds: await ids('spend_people'),
  groupIds: await ids(`spend_units where kind = 'group'`),
  costCentreIds: await ids(`spend_units where kind = 'cost_centre'`),
  dayChangedMs,
  bytesPerDay: await bytesPerDay(),
};
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));

/** A hundred people per group, five groups per cost center. One identity in twenty is unmatched. */
async function insertPeople(): Promise<string> {
  const [{ id }] = await query<{ id: string }>(
    `insert into connections (tenant_id, id, kind, name, slug, settings, revision, status, created_at)
     values ($1, gen_random_uuid(), 'bench', 'Bench', 'bench', '{}', 1, 'connected', now()) returning id`,
    [tenant.id],
  );
  await query(
    `insert into spend_units (tenant_id, id, kind, name)
     select $1::uuid, gen_random_uuid(), 'group', 'Group ' || n from generate_series(0, $2::int / 100) n
     union all select $1::uuid, gen_random_uuid(), 'cost_centre', 'Cost centre ' || n from generate_series(0, $2::int / 500) n`,
    [tenant.id, people],
  );
  await query(
    `insert into spend_people (tenant_id, id, email, name, pseudonym, is_service_account, group_id, cost_centre_id, created_at)
     select $1, gen_random_uuid(), 'person' || n || '@example.org', 'Person ' || n, 'Somebody ' || n, false, g.id, c.id, now()
     from generate_series(1, $2::int) n
     join spend_units g on g.tenant_id = $1 and g.name = 'Group ' || n / 100
     join spend_units c on c.tenant_id = $1 and c.name = 'Cost centre ' || n / 500`,
    [tenant.id, people],
  );
  await query(
    `insert into spend_identities (tenant_id, connection_id, kind, key, email, person_id, matched_by, is_ignored, has_seat, first_seen)
     select $1, $2, 'email', p.email, p.email, p.person, case when p.person is not null then 'email' end, false, true, now()
     from (select email, case when row_number() over (order by email) % 20 > 0 then id end as person from spend_people where tenant_id = $1) p`,
    [tenant.id, id],
  );
  await query(`insert into spend_models (tenant_id, name) select $1, 'model-' || n from generate_series(1, 8) n`, [
    tenant.id,
  ]);
  return id;
}

async function insertUsage(): Promise<void> {
  for (let from = days - 1; from >= 0; from -= 30) {
    const window = [tenant.id, from, Math.max(from - 29, 0)];
    await query(
      `insert into spend_days (tenant_id, day, identity, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens,
         ai_requests_chat, ai_requests_agent, ai_requests_composer, ai_requests_cmdk, tab_completions_shown, tab_completions_accepted,
         applies_accepted, applies_rejected, lines_accepted_added, lines_accepted_deleted, subscription_included_requests,
         usage_based_requests, byo_api_key_requests, charged_cents, included_cents, request_units)
       select $1, day, id, n * 971 % 90000, n * 577 % 9000, n * 331 % 50000, n % 7000, n % 13, n % 41, n % 5, n % 7, n % 301, n % 97,
              n % 37, n % 11, n % 911, n % 307, n % 43, n % 17, 0, (n % 40009)::numeric / 100, (n % 1009)::numeric / 100, n % 29
       from (select (current_date - d)::date as day, i.id, abs(hashint8(i.id::bigint * 4001 + d)::bigint) as n
             from generate_series($3::int, $2::int) d, spend_identities i where i.tenant_id = $1 order by 1, 2) x
       order by day, id`,
      window,
    );
    await query(
      `insert into spend_charges (tenant_id, day, identity, model, events, is_included, charged_cents, list_cents, request_units,
         input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens)
       select $1, d.day, d.identity, m.id, 3, d.ai_requests_chat > 9, d.charged_cents, d.charged_cents, 1, d.input_tokens, d.output_tokens, d.cache_read_tokens, d.cache_creation_tokens
       from spend_days d join (select id, row_number() over (order by id) as n from spend_models where tenant_id = $1) m on m.n = 1 + d.ai_requests_agent % 8
       where d.tenant_id = $1 and d.day between current_date - $2::int and current_date - $3::int`,
      window,
    );
  }
  await vacuum();
}

/**
 * Does what autovacuum would have done on a server that has run for years. Only the owner of the tables may do this.
 */
async function vacuum(): Promise<void> {
  const owner = new pg.Client(process.env.DATABASE_URL);
  await owner.connect();
  await owner.query('vacuum analyze');
  await owner.end();
}

async function rollUp(): Promise<number> {
  const taken: number[] = [];
  for (let ago = days - 1; ago >= 0; ago--) {
    const day = new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await database.tenant(system, async (tx) => {
      const before = performance.now();
      await server.app.get(RollupsService).updateDay(tx, system, { connectionId, day });
      taken.push(performance.now() - before);
    });
  }
  await server.app.get(RollupMaintenanceService).maintain({ tenantId: tenant.id });
  await vacuum();
  return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)];
}

async function ids(from: string): Promise<string[]> {
  return (await query<{ id: string }>(`select id from ${from} limit 20`)).map(({ id }) => id);
}

async function bytesPerDay(): Promise<number> {
  const tables = ['spend_unit_sums', 'spend_model_sums', 'spend_tallies', 'spend_active_days', 'spend_slots'];
  const [{ bytes }] = await query<{ bytes: string }>(
    'select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) name',
    [tables],
  );
  return Number(bytes) / (people * days);
}
