import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import type { Cents } from '../../usage-row.js';
import type { Stream } from '../coverage/coverage.sql.js';
import type { SpendRevision, SpendStreamDay } from './covered-day.entity.js';
import type { SpendFeed, SpendRun } from './spend-feed.entity.js';

/** Sync status for people. */

const run = `
  r.id, r.kind, r.state, r.from_day::text as "fromDay", r.to_day::text as "toDay", r.days_done as "daysDone",
  r.days_total as "daysTotal", r.days_changed as "daysChanged", r.requests, r.rows, r.unknown_fields as "unknownFields",
  r.code, r.detail, r.started_at as "startedAt", r.ended_at as "endedAt"`;

export interface FeedListRow extends Omit<SpendFeed, 'vendor' | 'open' | 'drift'> {
  kind: string;
  cycleStart: Day | null;
  vendorCents: Cents | null;
  askedAt: Date | null;
}
/** Of one connection, or of all. */
export const listFeeds = statement<[tenantId: string, connectionId: string | null], FeedListRow>(`
  select f.connection_id as "connectionId", c.name as "connectionName", c.kind, coalesce(f.lease_until > now(), false) as "isSyncing",
         f.next_at as "nextAt", case when f.wait_until > now() then f.wait_until end as "waitUntil", f.trouble,
         f.trouble_detail as "errorDetail", f.failures as "failedAttempts", f.seats,
         (select min(k.day)::text from spend_coverage k
          where k.tenant_id = f.tenant_id and k.connection_id = f.connection_id and k.revision > 0) as "dataSince",
         f.vendor_cycle_start::text as "cycleStart", f.vendor_cycle_cents as "vendorCents", f.vendor_cycle_at as "askedAt"
  from spend_feeds f join connections c on c.tenant_id = f.tenant_id and c.id = f.connection_id
  where f.tenant_id = $1 and ($2::uuid is null or f.connection_id = $2) and c.removed_at is null
  order by f.connection_id desc`);

/** Of one connection, or of all. */
export const listRunsInProgress = statement<
  [tenantId: string, connectionId: string | null],
  SpendRun & { connectionId: string }
>(`
  select r.connection_id as "connectionId", ${run} from spend_runs r
  where r.tenant_id = $1 and ($2::uuid is null or r.connection_id = $2) and r.state = 'running' order by r.id`);

export const listRuns = statement<
  [tenantId: string, connectionId: string, lastOfPreviousPage: string | null, limit: number],
  SpendRun & { total: number }
>(`
  select ${run}, (select count(*)::int from spend_runs a where a.tenant_id = $1 and a.connection_id = $2) as total
  from spend_runs r
  where r.tenant_id = $1 and r.connection_id = $2 and ($3::uuid is null or r.id < $3)
  order by r.id desc limit $4`);

export const findRun = statement<[tenantId: string, connectionId: string, runId: string], SpendRun>(
  `select ${run} from spend_runs r where r.tenant_id = $1 and r.connection_id = $2 and r.id = $3`,
);

export const sumOwnCycle = statement<
  [tenantId: string, connectionId: string, firstDay: Day],
  { cents: Cents; missing: number }
>(`
  select (select coalesce(sum(d.charged_cents), 0) from spend_days d
          join spend_identities i on i.tenant_id = d.tenant_id and i.id = d.identity
          where d.tenant_id = $1 and i.connection_id = $2 and d.day >= $3)::text as cents,
         ((now() at time zone 'UTC')::date - $3::date + 1 - (
           select count(*) from spend_coverage k
           where k.tenant_id = $1 and k.connection_id = $2 and k.stream = 'events' and k.day >= $3
             and k.state in ('provisional', 'final')))::int as missing`);

interface StreamDayRow extends SpendStreamDay {
  day: Day;
  stream: Stream;
  revision: number;
}
export const listDays = statement<[tenantId: string, connectionId: string, from: Day, to: Day], StreamDayRow>(`
  select day::text, stream, state, pulled_at as "pulledAt", revision, rows, vendor_total as "vendorTotal",
         faulty_rows as "faultyRows", unknown_fields as "unknownFields", reason
  from spend_coverage where tenant_id = $1 and connection_id = $2 and day between $3 and $4 order by day desc, stream`);

export const listDayRevisions = statement<[tenantId: string, connectionId: string, from: Day, to: Day], SpendRevision>(`
  select day::text, revision, recorded_at as "recordedAt", rows_added as "rowsAdded", rows_changed as "rowsChanged",
         rows_removed as "rowsRemoved", charged_cents_before as "chargedCentsBefore", charged_cents_after as "chargedCentsAfter"
  from spend_revisions where tenant_id = $1 and connection_id = $2 and day between $3 and $4
  order by recorded_at desc, day desc limit 1000`);

/** Ahead of schedule, but not before the vendor accepts requests again. */
export const scheduleFeedNow = statement<[tenantId: string, connectionId: string]>(`
  update spend_feeds
  set next_at = case when trouble = 'rate_limited' then greatest(now(), coalesce(wait_until, now())) else now() end
  where tenant_id = $1 and connection_id = $2`);
