/** $1 tenant, $2 connections or null, $3 from, $4 to. Returns the worst state of each day. */
export const unsettledDays = `
  select day::text, case max(case state when 'lost' then 3 when 'pending' then 2 else 1 end)
                    when 3 then 'lost' when 2 then 'pending' else 'provisional' end as state
  from spend_coverage
  where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2)) and day between $3 and $4 and state <> 'final'
  group by day order by day`;

/** $1 tenant, $2 connections or null */
export const firstKnownDay = `
  select min(day)::text as "dataSince" from spend_coverage
  where tenant_id = $1 and ($2::uuid[] is null or connection_id = any($2)) and state in ('provisional', 'final')`;
