import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import type { SyncRunKind } from '../sync-plan.js';

/** Sync runs and their progress. */

export interface SyncRunRow {
  id: string;
  kind: SyncRunKind;
  fromDay: Day;
  toDay: Day;
  startedAt: Date;
}
export const listRunningRuns = statement<[tenantId: string, connectionId: string], SyncRunRow>(`
  select id, kind, from_day::text as "fromDay", to_day::text as "toDay", started_at as "startedAt"
  from spend_runs where tenant_id = $1 and connection_id = $2 and state = 'running' order by id`);

export const insertRun = statement<
  [
    tenantId: string,
    connectionId: string,
    id: string,
    kind: SyncRunKind,
    fromDay: Day,
    toDay: Day,
    days: number,
    startedAt: Date,
  ]
>(`
  insert into spend_runs (tenant_id, connection_id, id, kind, state, from_day, to_day, days_done, days_total, days_changed,
    requests, rows, unknown_fields, started_at)
  values ($1, $2, $3, $4, 'running', $5, $6, 0, $7, 0, 0, 0, '{}', $8)`);

/** Adds to the counts of the run. */
export const addRunProgress = statement<
  [
    tenantId: string,
    runId: string,
    requests: number,
    rows: number,
    days: number,
    changedDays: number,
    unknownFields: Record<string, number>,
  ]
>(`
  update spend_runs
  set requests = requests + $3, rows = rows + $4, days_done = days_done + $5, days_changed = days_changed + $6,
      unknown_fields = (
        select coalesce(jsonb_object_agg(name, total), '{}') from (
          select name, sum(value::int) as total
          from (select * from jsonb_each_text(unknown_fields) union all select * from jsonb_each_text($7)) every (name, value)
          group by name order by total desc, name limit 50) most)
  where tenant_id = $1 and id = $2`);

export const endRun = statement<
  [tenantId: string, runId: string, state: 'done' | 'failed', code: string | null, message: string | null],
  { daysChanged: number }
>(`
  update spend_runs set state = $3, code = $4, detail = $5, ended_at = now(),
    days_total = case $3 when 'done' then days_done else days_total end
  where tenant_id = $1 and id = $2
  returning days_changed as "daysChanged"`);

/** Sets when each kind is due again; recent days at the cadence of the connector. */
export const scheduleNextRun = statement<
  [tenantId: string, connectionId: string, ended: SyncRunKind, cadenceSeconds: number]
>(`
  update spend_feeds
  set hourly_at = case when $3 in ('hourly', 'daily') then now() + $4 * interval '1 second' else hourly_at end,
      daily_at = case when $3 = 'daily' then now() + interval '1 day' else daily_at end,
      weekly_at = case when $3 = 'weekly' then now() + interval '7 days' else weekly_at end
  where tenant_id = $1 and connection_id = $2`);

export const deleteOldRuns = statement<[tenantId: string, connectionId: string, retentionDays: number]>(`
  delete from spend_runs
  where tenant_id = $1 and connection_id = $2 and ended_at < now() - $3 * interval '1 day'`);
