import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';
import { unmatchedName } from '../../people/unmatched-name.port.js';
import { bitsOf } from './active-people.sql.js';
import type { SpendIdleSeat, SpendSeats } from './seat.entity.js';
import { noUnitId } from './sums.js';

type SeatParams = [
  tenantId: string,
  since: Day,
  connectionIds: readonly string[] | null,
  groupIds: readonly string[] | null,
  slots: number,
];

/** All seats, and the month of last use of the idle ones; null: never used. */
const seatActivity = `
  lately as materialized (
    select connection_id, bit_or(${bitsOf('active', '$5')}) as bits
    from spend_active_days where tenant_id = $1 and day >= $2 group by connection_id
  ),
  months as materialized (
    select connection_id, date_trunc('month', day)::date as month, bit_or(${bitsOf('active', '$5')}) as bits
    from spend_active_days where tenant_id = $1 group by 1, 2
  ),
  seated as materialized (
    select i.id as identity, i.connection_id, i.person_id, i.seat_since, p.group_id, s.slot,
           coalesce(get_bit(l.bits, s.slot) = 1, false) as is_active
    from spend_identities i
    left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
    left join spend_slots s on s.tenant_id = i.tenant_id and s.connection_id = i.connection_id and s.identity = i.id
    left join lately l on l.connection_id = i.connection_id
    where i.tenant_id = $1 and i.has_seat
      and ($3::uuid[] is null or i.connection_id = any($3))
      and ($4::uuid[] is null or coalesce(p.group_id, '${noUnitId}') = any($4))
  ),
  idle as materialized (
    select s.*, (
      select max(m.month) from months m where m.connection_id = s.connection_id and get_bit(m.bits, s.slot) = 1
    ) as last_month
    from seated s where not s.is_active
  )`;

export const countSeats = statement<SeatParams, SpendSeats>(`
  with ${seatActivity}
  select (select count(*)::int from seated) as seats, (select count(*)::int from seated where is_active) as active,
         (select count(*)::int from idle) as idle, (select count(*)::int from idle where last_month is null) as "neverUsed"`);

export type IdleSeatRow = SpendIdleSeat & {
  /** The month of last use, or the earliest day. */
  sorted: Day;
  total: number;
};
/** Never used seats first, then the longest unused. */
export const idleSeats = statement<
  [...SeatParams, limit: number, onlyNeverUsed: boolean, afterMonth: Day, afterIdentityId: number, pseudonyms: boolean],
  IdleSeatRow
>(`
  with ${seatActivity}, asked as (
    select *, coalesce(last_month, '0001-01-01') as sorted, count(*) over ()::int as total
    from idle where last_month is null or not $7
  )
  select case when $10::bool then i.pseudonym_id::text else i.id::text end as "identityId",
         case when $10 then p.pseudonym_id else p.id end as "personId",
         case when $10 then coalesce(p.pseudonym, ${unmatchedName}) else coalesce(p.name, i.name, i.email, i.key) end as name,
         s.connection_id as "connectionId", s.group_id as "groupId", s.seat_since as "seatSince", s.sorted::text, s.total, (
           select max(a.day)::text from spend_active_days a
           where a.tenant_id = $1 and a.connection_id = s.connection_id and a.day >= s.last_month
             and a.day < s.last_month + interval '1 month' and get_bit(${bitsOf('a.active', '$5')}, s.slot) = 1
         ) as "lastActive"
  from (select * from asked where (sorted, identity) > ($8::date, $9::int) order by sorted, identity limit $6) s
  join spend_identities i on i.tenant_id = $1 and i.id = s.identity
  left join spend_people p on p.tenant_id = $1 and p.id = s.person_id
  order by s.sorted, s.identity`);
