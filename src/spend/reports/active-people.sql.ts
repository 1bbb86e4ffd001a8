import type { ReportSelection, PeriodWindow } from './report-selection.js';
import { SqlParameters, reportSubjects } from './report.sql.js';

/**
 * Counts people who were active on any of the days: ORs the daily bits into one row per connection and counts people.
 */
export function selectActivePeople(
  query: ReportSelection,
  window: PeriodWindow,
  keys: readonly string[],
  slots: number,
  sqlParameters: SqlParameters,
): string {
  const { tenantId, where } = query;
  const tenant = sqlParameters.add(tenantId);
  return `
    with ${reportSubjects(query, sqlParameters)}, active as materialized (
      select at.period, a.connection_id, bit_or(a.active::bit(${slots})) as bits
      from ${joinActiveDays(window, tenant, where.connectionIds, sqlParameters)}
      group by 1, 2
    ),
    keys as materialized (select key, row_number() over () ::int as no from unnest(${sqlParameters.add(keys)}::text[]) key),
    someone as materialized (
      select k.no, w.connection_id, s.slot,
             case when w.person_id is null then w.identity else min(w.identity) over (partition by w.person_id) end as first
      from who w
      join keys k on k.key = w.key
      join spend_slots s on s.tenant_id = ${tenant} and s.connection_id = w.connection_id and s.identity = w.identity
    ),
    each as (
      select a.period, w.no, w.first from active a join someone w on w.connection_id = a.connection_id and get_bit(a.bits, w.slot) = 1
      group by 1, 2, 3
    )
    select e.period, k.key, e.people
    from (select period, no, count(*)::int as people from each group by 1, 2) e join keys k on k.no = e.no`;
}

/** Counts active people of units if each bit is one person: the bits of a unit AND the active bits. */
export function selectActiveInUnits(
  query: ReportSelection,
  window: PeriodWindow,
  keys: readonly string[],
  slots: number,
  sqlParameters: SqlParameters,
): string {
  const { tenantId, where } = query;
  const tenant = sqlParameters.add(tenantId);
  return `
    with ${reportSubjects(query, sqlParameters)}, active as materialized (
      select at.period, bit_or(a.active::bit(${slots})) as bits
      from ${joinActiveDays(window, tenant, where.connectionIds, sqlParameters)}
      group by 1
    ),
    units as materialized (
      select w.key, bit_or(set_bit(0::bit(${slots}), s.slot, 1)) as bits
      from who w join spend_slots s on s.tenant_id = ${tenant} and s.connection_id = w.connection_id and s.identity = w.identity
      where w.key = any(${sqlParameters.add(keys)}::text[])
      group by 1
    )
    select a.period, u.key, bit_count(a.bits & u.bits)::int as people
    from active a cross join units u where bit_count(a.bits & u.bits) > 0`;
}

/** Counts all active people of one connection. Requires that each bit is one person. */
export function selectActiveEverybody(
  { tenantId }: ReportSelection,
  window: PeriodWindow,
  slots: number,
  sqlParameters: SqlParameters,
): string {
  return `
    select at.period, '' as key, bit_count(bit_or(a.active::bit(${slots})))::int as people
    from ${joinActiveDays(window, sqlParameters.add(tenantId), null, sqlParameters)}
    group by 1`;
}

/** Days `a` of each period `at`. */
const joinActiveDays = (
  { first, periods }: PeriodWindow,
  tenant: string,
  connectionIds: readonly string[] | null | undefined,
  sqlParameters: SqlParameters,
): string => `
    unnest(${sqlParameters.add(periods.map((_, index) => first + index))}::int[], ${sqlParameters.add(periods.map(({ from }) => from))}::date[],
      ${sqlParameters.add(periods.map(({ to }) => to))}::date[]) at (period, from_day, to_day)
    join spend_active_days a on a.tenant_id = ${tenant} and a.day between at.from_day and at.to_day
      ${connectionIds ? `and a.connection_id = any(${sqlParameters.add(connectionIds)}::uuid[])` : ''}`;

/** $1 tenant. Maximum number of bits per day, and whether each bit is one person. */
export const selectSlotCount = `
  select coalesce(max(slot), 0) + 1 as slots,
         count(distinct connection_id) = 1 and not exists (
           select from spend_identities where tenant_id = $1 and person_id is not null group by person_id having count(*) > 1
         ) as "isOneEach"
  from spend_slots where tenant_id = $1`;
