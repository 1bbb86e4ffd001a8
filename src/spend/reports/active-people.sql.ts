import type { Question, Window } from './question.js';
import { Values, who } from './report.sql.js';

/** Who was active in any of the days: theirs OR-ed into one row of bits a connection, and people counted by these. */
export function activePeople(
  question: Question,
  { first, periods }: Window,
  keys: readonly string[],
  slots: number,
  values: Values,
): string {
  const { tenantId, where } = question;
  const tenant = values.add(tenantId);
  const someone = `coalesce(w.person_id, ('00000000-0000-0000-0000-' || lpad(w.identity::text, 12, '0'))::uuid)`;
  return `
    with ${who(question, values)}, active as materialized (
      select at.period, a.connection_id, bit_or(a.active::bit(${slots})) as bits
      from unnest(${values.add(periods.map((_, index) => first + index))}::int[], ${values.add(periods.map(({ from }) => from))}::date[],
        ${values.add(periods.map(({ to }) => to))}::date[]) at (period, from_day, to_day)
      join spend_active_days a on a.tenant_id = ${tenant} and a.day between at.from_day and at.to_day
        ${where.connectionIds ? `and a.connection_id = any(${values.add(where.connectionIds)}::uuid[])` : ''}
      group by 1, 2
    )
    select a.period, w.key, count(distinct ${someone})::int as people
    from active a
    join spend_slots s on s.tenant_id = ${tenant} and s.connection_id = a.connection_id and get_bit(a.bits, s.slot) = 1
    join who w on w.identity = s.identity
    where w.key = any(${values.add(keys)}::text[])
    group by 1, 2`;
}

/** $1 tenant */
export const slotCount = 'select coalesce(max(slot), 0) + 1 as slots from spend_slots where tenant_id = $1';
