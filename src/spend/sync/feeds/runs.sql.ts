import type { SyncRunKind } from '../sync-plan.js';

/** Sync runs and their progress. $1 tenant, $2 connection */

export interface SyncRunRow {
  id: string;
  kind: SyncRunKind;
  fromDay: string;
  toDay: string;
  startedAt: Date;
}
export const listRunningRuns = `
  select id, kind, from_day::text as "fromDay", to_day::text as "toDay", started_at as "startedAt"
  from spend_runs where tenant_id = $1 and connection_id = $2 and state = 'running' order by id`;

/** $3 id, $4 kind, $5 first day, $6 last day, $7 number of days, $8 start time */
export const insertRun = `
  insert into spend_runs (tenant_id, connection_id, id, kind, state, from_day, to_day, days_done, days_total, days_changed,
    requests, rows, unknown_fields, started_at)
  values ($1, $2, $3, $4, 'running', $5, $6, 0, $7, 0, 0, 0, '{}', $8)`;

/** Increments: $2 run, $3 requests, $4 rows, $5 days, $6 changed days, $7 unknown fields */
export const addRunProgress = `
  update spend_runs
  set requests = requests + $3, rows = rows + $4, days_done = days_done + $5, days_changed = days_changed + $6,
      unknown_fields = (
        select coalesce(jsonb_object_agg(name, total), '{}') from (
          select name, sum(value::int) as total
          from (select * from jsonb_each_text(unknown_fields) union all select * from jsonb_each_text($7)) every (name, value)
          group by name order by total desc, name limit 50) most)
  where tenant_id = $1 and id = $2`;

/** $2 run, $3 done or failed, $4 code, $5 message */
export const endRun = `
  update spend_runs set state = $3, code = $4, detail = $5, ended_at = now(),
    days_total = case $3 when 'done' then days_done else days_total end
  where tenant_id = $1 and id = $2`;

/** Sets when each kind is due again. $3 kind */
export const scheduleNextRun = `
  update spend_feeds
  set hourly_at = case when $3 in ('hourly', 'daily') then now() + interval '1 hour' else hourly_at end,
      daily_at = case when $3 = 'daily' then now() + interval '1 day' else daily_at end,
      weekly_at = case when $3 = 'weekly' then now() + interval '7 days' else weekly_at end
  where tenant_id = $1 and connection_id = $2`;

/** $3 retention in days */
export const deleteOldRuns = `
  delete from spend_runs
  where tenant_id = $1 and connection_id = $2 and ended_at < now() - $3 * interval '1 day'`;
