import { type Statement, statement } from '../../platform/database/statement.js';
import type { DayRange, Day } from '../../platform/time/day.js';
import { disableNestedLoops } from '../../platform/database/nested-loops.sql.js';
import { unmatchedName } from '../../people/unmatched-name.port.js';
import { metrics, tokenMetrics } from '../usage-row.js';
import type { ChargeExportRow } from './focus-columns.js';
import type { CoverageExportRow, UsageExportRow } from './usage-columns.js';

/**
 * A null list does not filter. People who are not shown are summed by group and cost centre. Rows are summed by id before
 * names are joined, because a day can have a hundred thousand people.
 */
export type PeopleExportParams = [
  tenantId: string,
  day: Day,
  connectionIds: readonly string[] | null,
  groupIds: readonly string[] | null,
  costCentreIds: readonly string[] | null,
  showsPeople: boolean,
  shownGroupIds: readonly string[] | null,
];
/** With pseudonyms, real names never leave the database. */
export type PeopleExport<Row extends object> = Record<'names' | 'pseudonyms', Statement<PeopleExportParams, Row>>;

/**
 * Per transaction: plans for reading the whole day, in memory. Tables that a first sync has just filled have no
 * statistics, so the planner would expect one row instead of a hundred thousand and choose nested loops that never
 * finish.
 */
export const fullScanSettings = [
  statement('set local cursor_tuple_fraction = 1'),
  statement("set local work_mem = '32MB'"),
  disableNestedLoops,
];

export const exportBatchSize = 2000;

/** The person of each identity, and whether it is shown. */
const exportSubjects = `
  who as materialized (
    select i.id as identity, i.connection_id, i.person_id, case when i.person_id is null then i.id end as alone,
           p.group_id, p.cost_centre_id,
           coalesce($6::boolean and i.kind <> 'unattributed' and ($7::uuid[] is null or p.group_id = any($7)), false) as is_shown
    from spend_identities i
    left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
    where i.tenant_id = $1
      and ($3::uuid[] is null or i.connection_id = any($3))
      and ($4::uuid[] is null or p.group_id = any($4))
      and ($5::uuid[] is null or p.cost_centre_id = any($5))
  )`;
const visibleColumns = `connection_id, group_id, cost_centre_id,
         case when is_shown then person_id end as person_id, case when is_shown then alone end as alone`;

const names = (keyAndName: string) => `
  c.id as connection_id, c.name as connection, c.kind as vendor, s.group_id, g.name as group_name, cc.name as cost_centre,
  coalesce(p.is_service_account, i.kind in ('service_account', 'api_key')) as is_service,
  ${keyAndName}`;
const asName = `
  coalesce(p.id::text, 'i' || i.id) as key, coalesce(p.name, i.name, i.email, i.key) collate "C" as person, coalesce(p.email, i.email) as email`;
const asPseudonym = `
  coalesce(p.pseudonym, ${unmatchedName}) as key, coalesce(p.pseudonym, ${unmatchedName}) collate "C" as person, null as email`;
const nameJoins = `
  join connections c on c.tenant_id = $1 and c.id = s.connection_id
  left join spend_people p on p.tenant_id = $1 and p.id = s.person_id
  left join spend_identities i on i.tenant_id = $1 and i.id = s.alone
  left join spend_units g on g.tenant_id = $1 and g.id = s.group_id
  left join spend_units cc on cc.tenant_id = $1 and cc.id = s.cost_centre_id
  left join states v on v.connection_id = s.connection_id`;
/** The order must not depend on anything that identifies people with pseudonyms. */
const exportOrder = 'connection, connection_id, cost_centre nulls last, group_name nulls last, person nulls last, key';

/** The worst state of a connection's day. */
const states = `
  states as (
    select connection_id, case max(case state when 'lost' then 4 when 'pending' then 3 when 'provisional' then 2 else 1 end)
                          when 4 then 'lost' when 3 then 'pending' when 2 then 'provisional' else 'final' end as state
    from spend_coverage where tenant_id = $1 and day = $2::date group by connection_id
  )`;

const sums = (columns: readonly string[]) => columns.map((name) => `sum(${name}) as ${name}`).join(', ');
const trimmedColumns = (columns: readonly string[]) =>
  columns.map((name) => `trim_scale(s.${name}) as ${name}`).join(', ');

const usageSumColumns = [...metrics, 'charged_cents', 'included_cents', 'request_units'];
const usageOfDayWith = (keyAndName: string) =>
  statement<PeopleExportParams, UsageExportRow>(`
  with ${exportSubjects}, ${states}, everybody as (
    select w.connection_id, w.person_id, w.alone, w.group_id, w.cost_centre_id, w.is_shown, ${sums(usageSumColumns)}
    from spend_days d join who w on w.identity = d.identity
    where d.tenant_id = $1 and d.day = $2::date
    group by w.connection_id, w.person_id, w.alone, w.group_id, w.cost_centre_id, w.is_shown
  ), summed as (
    select ${visibleColumns}, count(*)::int as people, ${sums(usageSumColumns)} from everybody group by 1, 2, 3, 4, 5
  )
  select $2::date::text as day, ${names(keyAndName)}, s.people, ${trimmedColumns(usageSumColumns)}, v.state
  from summed s ${nameJoins} order by ${exportOrder}`);
export const usageOfDay: PeopleExport<UsageExportRow> = {
  names: usageOfDayWith(asName),
  pseudonyms: usageOfDayWith(asPseudonym),
};

const chargeSumColumns = [...tokenMetrics, 'charged_cents', 'request_units'];
const chargesOfDayWith = (keyAndName: string) =>
  statement<PeopleExportParams, ChargeExportRow>(`
  with ${exportSubjects}, ${states}, summed as (
    select ${visibleColumns}, d.model, d.is_included, sum(d.events)::text as events, ${sums(chargeSumColumns)},
           coalesce(sum(coalesce(d.list_cents, d.charged_cents)), 0) as list_cents
    from spend_charges d join who w on w.identity = d.identity
    where d.tenant_id = $1 and d.day = $2::date
    group by 1, 2, 3, 4, 5, d.model, d.is_included
  )
  select $2::date::text as day, ${names(keyAndName)}, m.name collate "C" as model, s.is_included, s.events,
         extract(day from f.vendor_cycle_start)::int as cycle_day, ${trimmedColumns(chargeSumColumns)},
         trim_scale(coalesce(s.charged_cents, 0) * 0.01) as cost, trim_scale(s.list_cents * 0.01) as list_cost, v.state
  from summed s ${nameJoins}
  join spend_models m on m.tenant_id = $1 and m.id = s.model
  left join spend_feeds f on f.tenant_id = $1 and f.connection_id = s.connection_id
  order by ${exportOrder}, model, is_included`);
export const chargesOfDay: PeopleExport<ChargeExportRow> = {
  names: chargesOfDayWith(asName),
  pseudonyms: chargesOfDayWith(asPseudonym),
};

/** `connectionIds`: null for all. */
export const coverageOfDay = statement<
  [tenantId: string, day: Day, connectionIds: readonly string[] | null],
  CoverageExportRow
>(`
  select v.day::text as day, c.name as connection, v.stream, v.state, v.reason, v.rows, v.vendor_total, v.faulty_rows,
         v.unknown_fields, v.revision, to_char(v.pulled_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as pulled_at
  from spend_coverage v join connections c on c.tenant_id = v.tenant_id and c.id = v.connection_id
  where v.tenant_id = $1 and v.day = $2::date and ($3::uuid[] is null or v.connection_id = any($3))
  order by c.name, c.id, v.stream`);

/** A cursor for the rows of a statement. A transaction can have one. */
export const exportCursor = <Params extends readonly unknown[], Row extends object>({
  text,
}: Statement<Params, Row>) => ({
  declare: statement<Params>(`declare export no scroll cursor for ${text}`),
  fetch: statement<[], Row>(`fetch ${exportBatchSize} from export`),
});

export const keepTransactionAlive = statement<[], { one: number }>('select 1 as one');

export type DateSpan = Statement<[tenantId: string, from: Day, to: Day], DayRange | { from: null; to: null }>;
/** First and last day with data, so that empty years cost nothing. */
const span = (table: string): DateSpan =>
  statement(`
  select min(day)::text as "from", max(day)::text as "to" from ${table} where tenant_id = $1 and day between $2 and $3`);
export const usageDateSpan = span('spend_days');
export const chargesDateSpan = span('spend_charges');
export const coverageDateSpan = span('spend_coverage');
