import { metrics, tokens } from '../usage-row.js';

/* One day each, as cursors: $1 tenant, $2 day, $3 connections, $4 groups, $5 cost centres (null: all), $6 whether people are shown
   at all, $7 the groups whose people are (null: all). Whoever is not shown is in the sums of group and cost centre. */

/** Whom a row of a day is told as. The name of somebody who has a pseudonym here never leaves the database. */
const who = (pseudonyms: boolean) => `
  who as materialized (
    select i.id as identity, i.connection_id, c.name as connection, c.kind as vendor,
           g.id as group_id, g.name as group_name, cc.name as cost_centre,
           coalesce(p.id::text, 'i' || i.id) as anybody, shown.key, shown.name as person, shown.email, shown.is_service
    from spend_identities i
    join connections c on c.tenant_id = i.tenant_id and c.id = i.connection_id
    left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
    left join spend_units g on g.tenant_id = p.tenant_id and g.id = p.group_id
    left join spend_units cc on cc.tenant_id = p.tenant_id and cc.id = p.cost_centre_id
    left join lateral (select ${pseudonyms ? asPseudonym : asName}) shown
      on $6::boolean and i.kind <> 'unattributed' and ($7::uuid[] is null or p.group_id = any($7))
    where i.tenant_id = $1
      and ($3::uuid[] is null or i.connection_id = any($3))
      and ($4::uuid[] is null or p.group_id = any($4))
      and ($5::uuid[] is null or p.cost_centre_id = any($5))
  )`;
const isService = `coalesce(p.is_service_account, i.kind in ('service_account', 'api_key')) as is_service`;
const asName = `
  coalesce(p.id::text, 'i' || i.id) as key, coalesce(p.name, i.name, i.email, i.key) as name,
  coalesce(p.email, i.email) as email, ${isService}`;
const asPseudonym = `
  coalesce(p.pseudonym, 'Unmatched ' || i.id) as key, coalesce(p.pseudonym, 'Unmatched ' || i.id) as name,
  null as email, ${isService}`;

const whom =
  'w.connection_id, w.connection, w.vendor, w.group_id, w.group_name, w.cost_centre, w.key, w.person, w.email, w.is_service';
const inOrder =
  'w.connection, w.connection_id, w.cost_centre nulls last, w.group_name nulls last, w.person nulls last, w.key';
const sum = (name: string) => `trim_scale(sum(d.${name})) as ${name}`;

/** The worst that is known of a connection's day decides. */
const state = `
  (select case max(case v.state when 'lost' then 4 when 'pending' then 3 when 'provisional' then 2 else 1 end)
          when 4 then 'lost' when 3 then 'pending' when 2 then 'provisional' when 1 then 'final' end
   from spend_coverage v where v.tenant_id = $1 and v.connection_id = w.connection_id and v.day = $2::date) as state`;

export const usageOfDay = (pseudonyms: boolean): string => `
  with ${who(pseudonyms)}
  select $2::date::text as day, ${whom}, count(distinct w.anybody)::int as people,
         ${[...metrics, 'charged_cents', 'included_cents', 'request_units'].map(sum).join(', ')}, ${state}
  from spend_days d join who w on w.identity = d.identity
  where d.tenant_id = $1 and d.day = $2::date
  group by ${whom} order by ${inOrder}`;

export const chargesOfDay = (pseudonyms: boolean): string => `
  with ${who(pseudonyms)}
  select $2::date::text as day, ${whom}, m.name as model, d.is_included,
         (select extract(day from f.vendor_cycle_start)::int from spend_feeds f
          where f.tenant_id = $1 and f.connection_id = w.connection_id) as cycle_day,
         sum(d.events)::text as events, ${[...tokens, 'charged_cents', 'request_units'].map(sum).join(', ')},
         trim_scale(coalesce(sum(d.charged_cents), 0) * 0.01) as cost,
         trim_scale(coalesce(sum(coalesce(d.list_cents, d.charged_cents)), 0) * 0.01) as list_cost,
         ${state}
  from spend_charges d join who w on w.identity = d.identity
  join spend_models m on m.tenant_id = d.tenant_id and m.id = d.model
  where d.tenant_id = $1 and d.day = $2::date
  group by ${whom}, m.name, d.is_included order by ${inOrder}, m.name, d.is_included`;

/** $1 tenant, $2 day, $3 connections */
export const coverageOfDay = `
  select v.day::text as day, c.name as connection, v.stream, v.state, v.reason, v.rows, v.vendor_total, v.faulty_rows,
         v.unknown_fields, v.revision, to_char(v.pulled_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as pulled_at
  from spend_coverage v join connections c on c.tenant_id = v.tenant_id and c.id = v.connection_id
  where v.tenant_id = $1 and v.day = $2::date and ($3::uuid[] is null or v.connection_id = any($3))
  order by c.name, c.id, v.stream`;

/** $1 tenant, $2 from, $3 to: between which days there is anything, so that ten empty years cost nothing. */
const span = (table: string) => `
  select min(day)::text as "from", max(day)::text as "to" from ${table} where tenant_id = $1 and day between $2 and $3`;
export const spanOfUsage = span('spend_days');
export const spanOfCharges = span('spend_charges');
export const spanOfCoverage = span('spend_coverage');
