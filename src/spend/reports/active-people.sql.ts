import { statement } from '../../platform/database/statement.js';
import { reportSubjects, type ReportKey, type SubjectParams } from './report.sql.js';

/** Without rows: nobody was active. */
type ActivePeople = ReportKey & { people: number };

/** `bits::bit(length)`, where the length can be a parameter. */
export const bitsOf = (bits: string, length: string) => `pg_catalog.bit(${bits}, ${length}::int, true)`;

/** Days `a` of each period `at`. */
const joinActiveDays = (periods: string, fromDays: string, toDays: string): string => `
  unnest(${periods}::int[], ${fromDays}::date[], ${toDays}::date[]) at (period, from_day, to_day)
  join spend_active_days a on a.tenant_id = $1 and a.day between at.from_day and at.to_day`;

type ActivePeopleParams = [
  ...SubjectParams,
  slots: number,
  keys: readonly string[],
  periods: readonly number[],
  fromDays: readonly string[],
  toDays: readonly string[],
];
const joinFilteredDays = `${joinActiveDays('$10', '$11', '$12')} and ($3::uuid[] is null or a.connection_id = any($3))`;

/**
 * Counts people who were active on any of the days: ORs the daily bits into one row per connection and counts people.
 */
export const countActivePeople = statement<ActivePeopleParams, ActivePeople>(`
  with ${reportSubjects}, active as materialized (
    select at.period, a.connection_id, bit_or(${bitsOf('a.active', '$8')}) as bits
    from ${joinFilteredDays}
    group by 1, 2
  ),
  keys as materialized (select key, row_number() over () ::int as no from unnest($9::text[]) key),
  someone as materialized (
    select k.no, w.connection_id, s.slot,
           case when w.person_id is null then w.identity else min(w.identity) over (partition by w.person_id) end as first
    from who w
    join keys k on k.key = w.key
    join spend_slots s on s.tenant_id = $1 and s.connection_id = w.connection_id and s.identity = w.identity
  ),
  each as (
    select a.period, w.no, w.first from active a join someone w on w.connection_id = a.connection_id and get_bit(a.bits, w.slot) = 1
    group by 1, 2, 3
  )
  select e.period, k.key, e.people
  from (select period, no, count(*)::int as people from each group by 1, 2) e join keys k on k.no = e.no`);

/** Counts active people of units if each bit is one person: the bits of a unit AND the active bits. */
export const countActiveInUnits = statement<ActivePeopleParams, ActivePeople>(`
  with ${reportSubjects}, active as materialized (
    select at.period, bit_or(${bitsOf('a.active', '$8')}) as bits
    from ${joinFilteredDays}
    group by 1
  ),
  units as materialized (
    select w.key, bit_or(set_bit(pg_catalog.bit(0, $8::int), s.slot, 1)) as bits
    from who w join spend_slots s on s.tenant_id = $1 and s.connection_id = w.connection_id and s.identity = w.identity
    where w.key = any($9::text[])
    group by 1
  )
  select a.period, u.key, bit_count(a.bits & u.bits)::int as people
  from active a cross join units u where bit_count(a.bits & u.bits) > 0`);

/** Counts all active people of one connection. Requires that each bit is one person. */
export const countActiveEverybody = statement<
  [tenantId: string, slots: number, periods: readonly number[], fromDays: readonly string[], toDays: readonly string[]],
  ActivePeople
>(`
  select at.period, '' as key, bit_count(bit_or(${bitsOf('a.active', '$2')}))::int as people
  from ${joinActiveDays('$3', '$4', '$5')}
  group by 1`);

/** Maximum number of bits per day, and whether each bit is one person. */
export const selectSlotCount = statement<[tenantId: string], { slots: number; isOneEach: boolean }>(`
  select coalesce(max(slot), 0) + 1 as slots,
         count(distinct connection_id) = 1 and not exists (
           select from spend_identities where tenant_id = $1 and person_id is not null group by person_id having count(*) > 1
         ) as "isOneEach"
  from spend_slots where tenant_id = $1`);
