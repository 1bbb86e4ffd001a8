import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';

/** The worst state of each day. */
export const unsettledDays = statement<
  [tenantId: string, connectionIds: readonly string[] | null, from: Day, to: Day],
  { day: Day; state: 'lost' | 'pending' | 'provisional' }
>(`
  select day::text, case max(case state when 'lost' then 3 when 'pending' then 2 else 1 end)
                    when 3 then 'lost' when 2 then 'pending' else 'provisional' end as state
  from spend_coverage
  where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2)) and day between $3 and $4 and state <> 'final'
  group by day order by day`);

export const firstKnownDay = statement<
  [tenantId: string, connectionIds: readonly string[] | null],
  { dataSince: Day | null }
>(`
  select min(day)::text as "dataSince" from spend_coverage
  where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2)) and state in ('provisional', 'final')`);
