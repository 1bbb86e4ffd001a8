import { statement } from '../../platform/database/statement.js';
import type { ReportGrouping } from './report-selection.js';
import { modelSumOf } from './rollups.sql.js';
import { metrics } from '../usage-row.js';
import { amountColumns, modelSumColumns, noUnitId, reportSumColumns, type ReportSum } from './sums.js';

/*
 * A report reads the smallest table that contains the result. Each source has the same statements.
 *
 * Groupings, filters and orders are parameters, so there is one text per source. A filter of null does not filter. These
 * statements must not get a name: PostgreSQL then plans each execution for its parameters, and drops the conditions and
 * cases that do not apply.
 */

/** Sums from the database: integers or decimal numbers as text. */
export type SumColumns = Record<ReportSum, string | null> & { events?: string | null; list_cents?: string | null };
export interface ReportKey {
  period: number;
  key: string;
}
/** The sum that orders the report. */
export interface RankedKey extends ReportKey {
  rank: string;
}
export interface KeyChange {
  key: string;
  change: string;
}

/** Rows after the last row of the previous page: newest period first, highest rank first within a period. */
export type PageParams = [afterPeriod: number | null, afterRank: string | null, afterKey: string | null, limit: number];

const list = (columns: readonly string[], each: (name: string) => string) => columns.map(each).join(', ');

const sumByName = (table: string, name: string, columns: readonly ReportSum[] = reportSumColumns) =>
  `case ${name}::text ${columns.map((column) => `when '${column}' then ${table}.${column}`).join(' ')} end`;

/** `ranked` has `paramCount` parameters. */
function pageOf(ranked: string, paramCount: number): string {
  const [period, rank, key, limit] = [1, 2, 3, 4].map((nth) => `$${paramCount + nth}`);
  return `
    select * from (${ranked}) r
    where ${period}::int is null or r.period > ${period} or (r.period = ${period} and (r.rank < ${rank}::numeric
      or (r.rank = ${rank}::numeric and r.key > ${key}::text)))
    order by r.period, r.rank desc, r.key limit ${limit}`;
}

/** `source` selects a period, a key and all sums, and has `paramCount` parameters. */
function reportStatements<Params extends readonly unknown[]>(source: string, paramCount: number) {
  const ranked = `select s.*, coalesce(${sumByName('s', `$${paramCount + 1}`)}, 0) as rank from (${source}) s`;
  const change = 'sum(case period when 0 then rank else -rank end)';
  return {
    sums: statement<Params, ReportKey & SumColumns>(source),
    page: statement<[...Params, orderBy: ReportSum, ...PageParams], RankedKey & SumColumns>(
      pageOf(ranked, paramCount + 1),
    ),
    /** Keys by the absolute change from period 1 to period 0. */
    changes: statement<[...Params, orderBy: ReportSum, limit: number], KeyChange>(`
      select key, ${change}::text as change from (${ranked}) r
      group by key having ${change} <> 0 order by abs(${change}) desc, key limit $${paramCount + 2}`),
  };
}

type UnitParams = [
  tenantId: string,
  by: Exclude<ReportGrouping, 'person'>,
  connectionIds: readonly string[] | null,
  scope: number,
  unitIds: readonly string[] | null,
];
const unitConditions = `
  u.tenant_id = $1 and u.scope = $4
  and ($3::uuid[] is null or u.connection_id = any($3)) and ($5::uuid[] is null or u.unit_id = any($5))`;
const unitKeys = `
  when 'group' then u.unit_id::text when 'cost_centre' then u.unit_id::text when 'connection' then u.connection_id::text`;

export type UnitSumParams = [
  ...UnitParams,
  periods: readonly number[],
  spans: readonly string[],
  starts: readonly string[],
];
export const unitSums = reportStatements<UnitSumParams>(
  `select at.period, case $2::text ${unitKeys} else '' end as key, ${list(reportSumColumns, (name) => `sum(u.${name}) as ${name}`)}
   from unnest($6::int[], $7::text[], $8::date[]) at (period, span, start)
   join spend_unit_sums u on ${unitConditions} and u.span = at.span and u.start = at.start
   group by 1, 2`,
  8,
);

/** Vendors count requests and lines per person, not per model. */
const modelColumns = (sum: (name: string) => string) =>
  [
    ...reportSumColumns.map((name) =>
      (modelSumColumns as readonly string[]).includes(name) ? sum(name) : `null::bigint as ${name}`,
    ),
    sum('events'),
    sum('list_cents'),
  ].join(', ');

export type ModelSumParams = [
  ...UnitParams,
  models: readonly number[] | null,
  periods: readonly number[],
  fromDays: readonly string[],
  toDays: readonly string[],
];
export const modelSums = reportStatements<ModelSumParams>(
  `select at.period, case $2::text ${unitKeys} when 'model' then u.model::text else '' end as key,
          ${modelColumns((name) => `sum(u.${name}) as ${name}`)}
   from unnest($7::int[], $8::date[], $9::date[]) at (period, from_day, to_day)
   join spend_model_sums u on ${unitConditions} and ($6::int[] is null or u.model = any($6))
     and u.day between at.from_day and at.to_day
   group by 1, 2`,
  9,
);

export type SubjectParams = [
  tenantId: string,
  by: ReportGrouping,
  connectionIds: readonly string[] | null,
  groupIds: readonly string[] | null,
  costCentreIds: readonly string[] | null,
  personIds: readonly string[] | null,
  unmatchedIdentityIds: readonly number[] | null,
];
/**
 * One row per identity that matches the filter, with the key that it counts for. Unmatched identities count for
 * themselves. Parameters: `SubjectParams`.
 */
export const reportSubjects = `
  who as materialized (
    select i.id as identity, i.connection_id, i.person_id,
           case $2::text
             when 'person' then case when i.person_id is null then 'i' || i.id else 'p' || i.person_id end
             when 'group' then coalesce(p.group_id, '${noUnitId}')::text
             when 'cost_centre' then coalesce(p.cost_centre_id, '${noUnitId}')::text
             when 'connection' then i.connection_id::text
             else '' end as key
    from spend_identities i left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
    where i.tenant_id = $1
      and ($3::uuid[] is null or i.connection_id = any($3))
      and ($4::uuid[] is null or coalesce(p.group_id, '${noUnitId}') = any($4))
      and ($5::uuid[] is null or coalesce(p.cost_centre_id, '${noUnitId}') = any($5))
      and (($6::uuid[] is null and $7::int[] is null)
        or ($6 is not null and i.person_id = any($6))
        or ($7 is not null and i.id = any($7) and i.person_id is null))
  )`;

export type ChargeParams = [
  ...SubjectParams,
  models: readonly number[] | null,
  periods: readonly number[],
  days: readonly string[],
];
/** Joins the filtered identities first, because reading all charges of several years would be too slow. */
export const chargeSums = reportStatements<ChargeParams>(
  `with ${reportSubjects}
   select at.period, case $2::text when 'model' then d.model::text else w.key end as key, ${modelColumns(modelSumOf)}
   from unnest($9::int[], $10::date[]) at (period, day)
   cross join who w
   join spend_charges d on d.tenant_id = $1 and d.day = at.day and d.identity = w.identity
     and ($8::int[] is null or d.model = any($8))
   group by 1, 2`,
  10,
);

export type PeopleParams = [
  ...SubjectParams,
  tallyPeriods: readonly number[],
  tallySigns: readonly number[],
  tallyDays: readonly string[],
  dayPeriods: readonly number[],
  daySigns: readonly number[],
  days: readonly string[],
];
const peopleParamCount = 13;

const signed = (value: string, name: string) => `case s.sign when 1 then ${value} else -${value} end as ${name}`;

/**
 * The terms to add and subtract, as rows per identity. A filtered query looks up its identities one by one. An
 * unfiltered query sums all rows before it joins identities. "offset 0" forces an index scan per day: in a plain join, the
 * planner takes a twentieth of all tallies for most of them.
 */
function peopleFacts(isFiltered: boolean, columnsOf: (table: 't' | 'd') => string): string {
  const join = (table: string, alias: string) =>
    isFiltered
      ? `cross join who w join ${table} ${alias} on ${alias}.tenant_id = $1 and ${alias}.day = s.day and ${alias}.identity = w.identity`
      : `cross join lateral (select * from ${table} o where o.tenant_id = $1 and o.day = s.day offset 0) ${alias}`;
  return `
    facts as not materialized (
      select s.period, t.identity, ${signed('t.days', 'days')}, ${columnsOf('t')}
      from unnest($8::int[], $9::int[], $10::date[]) s (period, sign, day) ${join('spend_tallies', 't')}
      union all
      select s.period, d.identity, s.sign as days, ${columnsOf('d')}
      from unnest($11::int[], $12::int[], $13::date[]) s (period, sign, day) ${join('spend_days', 'd')}
    )`;
}

function sumPeople(isFiltered: boolean): string {
  const known = (table: 't' | 'd', name: string, index: number) =>
    table === 't' ? `t.known[${index + 1}]` : `(d.${name} is not null)::int`;
  const columnsOf = (table: 't' | 'd') =>
    reportSumColumns
      .map(
        (name, index) => `${signed(`${table}.${name}`, name)}, ${signed(known(table, name, index), `${name}_known`)}`,
      )
      .join(', ');
  const both = reportSumColumns.flatMap((name) => [name, `${name}_known`]);
  return `
    with ${reportSubjects}, ${peopleFacts(isFiltered, columnsOf)},
    each as (select period, identity, sum(days) as days, ${list(both, (name) => `sum(${name}) as ${name}`)} from facts group by 1, 2)
    select e.period, w.key, ${list(reportSumColumns, (name) => `case when sum(e.${name}_known) > 0 then sum(e.${name}) end as ${name}`)}
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
}
export const peopleSums = reportStatements<PeopleParams>(sumPeople(false), peopleParamCount);
export const filteredPeopleSums = reportStatements<PeopleParams>(sumPeople(true), peopleParamCount);

/**
 * Computes only the sum to order by, because there can be many people. Afterwards the page loads all sums of its
 * people. `columns`: those of one type, since PostgreSQL adds integers faster than decimal numbers.
 */
function rankStatements(isFiltered: boolean, columns: readonly ReportSum[]) {
  const [orderBy, limit] = [`$${peopleParamCount + 1}`, `$${peopleParamCount + 2}`];
  const ranked = `
    with ${reportSubjects}, ${peopleFacts(isFiltered, (table) => signed(sumByName(table, orderBy, columns), 'rank'))},
    each as (select period, identity, sum(days) as days, sum(rank) as rank from facts group by 1, 2)
    select e.period, w.key, coalesce(sum(e.rank), 0) as rank
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
  return {
    page: statement<[...PeopleParams, orderBy: ReportSum, ...PageParams], RankedKey>(
      pageOf(ranked, peopleParamCount + 1),
    ),
    /**
     * The change between two ranges, whose terms are in one period: the boundary between adjacent ranges is read once with
     * double weight.
     */
    changes: statement<[...PeopleParams, orderBy: ReportSum, limit: number], KeyChange>(`
      with ${reportSubjects}, ${peopleFacts(isFiltered, (table) => `s.sign * ${sumByName(table, orderBy, columns)} as rank`)},
      each as (select identity, sum(rank) as rank from facts group by 1)
      select w.key, sum(e.rank)::text as change from each e join who w on w.identity = e.identity
      group by 1 having sum(e.rank) <> 0 order by abs(sum(e.rank)) desc, 1 limit ${limit}`),
  };
}
export const peopleCountRanks = rankStatements(false, metrics);
export const filteredPeopleCountRanks = rankStatements(true, metrics);
export const peopleAmountRanks = rankStatements(false, amountColumns);
export const filteredPeopleAmountRanks = rankStatements(true, amountColumns);
