import { statement } from '../../../platform/database/statement.js';

/** Expected coverage per day, across tenants. `daysBack`: how many days each vendor serves, today included. */

const windows = `
  select f.tenant_id, f.connection_id, c.removed_at, (now() at time zone 'UTC')::date as today,
         (now() at time zone 'UTC')::date - (v.days_back - 1) as oldest
  from spend_feeds f
  join connections c on c.tenant_id = f.tenant_id and c.id = f.connection_id
  join unnest($1::text[], $2::int[]) as v (kind, days_back) on v.kind = c.kind`;

/** Starts at the oldest day that the vendor serves. Days that began during downtime may already be too old to fetch. */
export const openDays = statement<[connectors: string[], daysBack: number[]]>(`
  insert into spend_coverage (tenant_id, connection_id, stream, day, state, revision, faulty_rows, unknown_fields)
  select w.tenant_id, w.connection_id, s.stream, d.day::date,
         case when d.day < w.oldest then 'lost' else 'pending' end, 0, 0, 0
  from (${windows}) w
  cross join (values ('usage'), ('events')) as s (stream)
  cross join lateral generate_series(
    coalesce((select max(k.day) + 1 from spend_coverage k
              where k.tenant_id = w.tenant_id and k.connection_id = w.connection_id and k.stream = s.stream), w.oldest),
    w.today, interval '1 day') as d (day)
  where w.removed_at is null
  on conflict do nothing`);

/** A day that the vendor no longer serves is final if it was fetched after it was complete, and lost otherwise. */
export const closeDays = statement<[connectors: string[], daysBack: number[], completeAfterHours: number]>(`
  update spend_coverage k
  set state = case when k.pulled_at >= (k.day + 1)::timestamp at time zone 'UTC' + $3 * interval '1 hour'
              then 'final' else 'lost' end
  from (${windows}) w
  where k.tenant_id = w.tenant_id and k.connection_id = w.connection_id and k.day < w.oldest
    and k.state in ('pending', 'provisional')`);
