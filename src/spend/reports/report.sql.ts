import { daysOf, subtractSteps, type DayRange, rollupStarts, type TallySteps, tallyStepsOf } from './day-range.js';
import type { ReportGrouping, ReportSelection, RollupState, PeriodWindow } from './report-selection.js';
import { modelSumOf } from './rollups.sql.js';
import { modelSumColumns, noUnitId, rollupScopes, reportSumColumns, type RollupScope } from './sums.js';

/* A report reads the smallest table that contains the result. All sources return rows (period, key, every sum). */

/** Collects the parameters of a statement in order. */
export class SqlParameters {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

type Source = (
  query: ReportSelection,
  window: PeriodWindow,
  sqlParameters: SqlParameters,
  rollupState: RollupState,
) => string;

export function reportSource(query: ReportSelection, rollupState: RollupState): Source {
  const { by, where, isOfModels } = query;
  const isOfUnits = by !== 'person' && !where.personIds && !where.identityIds && rollupScopeOf(query) !== null;
  const isFresh = isOfUnits && !rollupState.staleScopes.includes(rollupScopes[rollupScopeOf(query)!]);
  if (isOfModels) return isFresh ? fromModelSums : fromCharges;
  return isFresh ? fromUnitSums : fromPeople;
}

/** The rollup scope that can answer the query, or null if none can. */
function rollupScopeOf({ by, where }: ReportSelection): RollupScope | null {
  const isOfGroups = by === 'group' || where.groupIds !== undefined;
  const isOfCostCentres = by === 'cost_centre' || where.costCentreIds !== undefined;
  if (isOfGroups && isOfCostCentres) return null;
  return isOfGroups ? 'group' : isOfCostCentres ? 'cost_centre' : 'all';
}

const list = (columns: readonly string[], each: (name: string) => string) => columns.map(each).join(', ');
const summedColumns = (table: string) => list(reportSumColumns, (name) => `sum(${table}.${name}) as ${name}`);

const unitKeys: Record<Exclude<ReportGrouping, 'person'>, string> = {
  nothing: `''`,
  group: 'u.unit_id::text',
  cost_centre: 'u.unit_id::text',
  connection: 'u.connection_id::text',
  model: 'u.model::text',
};

function unitConditions({ where }: ReportSelection, sqlParameters: SqlParameters): string {
  const units = where.groupIds ?? where.costCentreIds;
  return [
    where.connectionIds && `and u.connection_id = any(${sqlParameters.add(where.connectionIds)}::uuid[])`,
    units && `and u.unit_id = any(${sqlParameters.add(units)}::uuid[])`,
    where.models && `and u.model = any(${sqlParameters.add(where.models)}::int[])`,
  ]
    .filter(Boolean)
    .join(' ');
}

function fromUnitSums(query: ReportSelection, { first, periods }: PeriodWindow, sqlParameters: SqlParameters): string {
  const starts = periods.flatMap((period, index) =>
    rollupStarts(period).map((start) => ({ period: first + index, ...start })),
  );
  const at = `unnest(${sqlParameters.add(starts.map(({ period }) => period))}::int[], ${sqlParameters.add(starts.map(({ span }) => span))}::text[],
    ${sqlParameters.add(starts.map(({ start }) => start))}::date[])`;
  return `
    select at.period, ${unitKeys[query.by as Exclude<ReportGrouping, 'person'>]} as key, ${summedColumns('u')}
    from ${at} at (period, span, start)
    join spend_unit_sums u on u.tenant_id = ${sqlParameters.add(query.tenantId)} and u.scope = ${sqlParameters.add(rollupScopes[rollupScopeOf(query)!])}
      and u.span = at.span and u.start = at.start ${unitConditions(query, sqlParameters)}
    group by 1, 2`;
}

function fromModelSums(query: ReportSelection, { first, periods }: PeriodWindow, sqlParameters: SqlParameters): string {
  return `
    select at.period, ${unitKeys[query.by as Exclude<ReportGrouping, 'person'>]} as key, ${modelColumns('u', (name) => `sum(u.${name}) as ${name}`)}
    from unnest(${sqlParameters.add(periods.map((_, index) => first + index))}::int[], ${sqlParameters.add(periods.map(({ from }) => from))}::date[],
      ${sqlParameters.add(periods.map(({ to }) => to))}::date[]) at (period, from_day, to_day)
    join spend_model_sums u on u.tenant_id = ${sqlParameters.add(query.tenantId)} and u.scope = ${sqlParameters.add(rollupScopes[rollupScopeOf(query)!])}
      and u.day between at.from_day and at.to_day ${unitConditions(query, sqlParameters)}
    group by 1, 2`;
}

/** Vendors count requests and lines per person, not per model. */
const modelColumns = (table: string, sum: (name: string) => string) =>
  [
    ...reportSumColumns.map((name) =>
      (modelSumColumns as readonly string[]).includes(name) ? sum(name) : `null::bigint as ${name}`,
    ),
    sum('events'),
    sum('list_cents'),
  ].join(', ');

/** The key that an identity counts for. `who` has one row per identity; unmatched identities count for themselves. */
const subjectKeys: Record<Exclude<ReportGrouping, 'model'>, string> = {
  nothing: `''`,
  person: `case when i.person_id is null then 'i' || i.id else 'p' || i.person_id end`,
  group: `coalesce(p.group_id, '${noUnitId}')::text`,
  cost_centre: `coalesce(p.cost_centre_id, '${noUnitId}')::text`,
  connection: 'i.connection_id::text',
};

export function reportSubjects({ tenantId, by, where }: ReportSelection, sqlParameters: SqlParameters): string {
  const { connectionIds, groupIds, costCentreIds, personIds, identityIds } = where;
  const people = [
    personIds && `i.person_id = any(${sqlParameters.add(personIds)}::uuid[])`,
    identityIds && `(i.id = any(${sqlParameters.add(identityIds)}::int[]) and i.person_id is null)`,
  ].filter(Boolean);
  const narrowed = [
    connectionIds && `and i.connection_id = any(${sqlParameters.add(connectionIds)}::uuid[])`,
    groupIds && `and coalesce(p.group_id, '${noUnitId}') = any(${sqlParameters.add(groupIds)}::uuid[])`,
    costCentreIds && `and coalesce(p.cost_centre_id, '${noUnitId}') = any(${sqlParameters.add(costCentreIds)}::uuid[])`,
    people.length && `and (${people.join(' or ')})`,
  ].filter(Boolean);
  return `
    who as materialized (
      select i.id as identity, i.connection_id, i.person_id, ${by === 'model' ? `''` : subjectKeys[by]} as key
      from spend_identities i left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
      where i.tenant_id = ${sqlParameters.add(tenantId)} ${narrowed.join(' ')}
    )`;
}

/** Joins the filtered identities first, because reading all charges of several years would be too slow. */
function fromCharges(query: ReportSelection, { first, periods }: PeriodWindow, sqlParameters: SqlParameters): string {
  const days = periods.flatMap((period, index) => daysOf(period).map((day) => ({ period: first + index, day })));
  const { models } = query.where;
  return `
    with ${reportSubjects(query, sqlParameters)}
    select at.period, ${query.by === 'model' ? 'd.model::text' : 'w.key'} as key, ${modelColumns('d', modelSumOf)}
    from unnest(${sqlParameters.add(days.map(({ period }) => period))}::int[], ${sqlParameters.add(days.map(({ day }) => day))}::date[]) at (period, day)
    cross join who w
    join spend_charges d on d.tenant_id = ${sqlParameters.add(query.tenantId)} and d.day = at.day and d.identity = w.identity
      ${models ? `and d.model = any(${sqlParameters.add(models)}::int[])` : ''}
    group by 1, 2`;
}

function fromPeople(
  query: ReportSelection,
  window: PeriodWindow,
  sqlParameters: SqlParameters,
  rollupState: RollupState,
): string {
  const tallied = reportSumColumns.flatMap((name, index) => [
    signed(`t.${name}`, name),
    signed(`t.known[${index + 1}]`, `${name}_known`),
  ]);
  const counted = reportSumColumns.flatMap((name) => [
    signed(`d.${name}`, name),
    signed(`(d.${name} is not null)::int`, `${name}_known`),
  ]);
  const both = reportSumColumns.flatMap((name) => [name, `${name}_known`]);
  return `
    with ${reportSubjects(query, sqlParameters)}, ${tallyFacts(query, windowSteps(window, rollupState), sqlParameters, tallied, counted)},
    each as (select period, identity, sum(days) as days, ${list(both, (name) => `sum(${name}) as ${name}`)} from facts group by 1, 2)
    select e.period, w.key, ${list(reportSumColumns, (name) => `case when sum(e.${name}_known) > 0 then sum(e.${name}) end as ${name}`)}
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
}

/**
 * Computes only the sum to order by, because there can be many people. Afterwards the page loads all sums of its
 * people.
 */
export function rankPeople(
  query: ReportSelection,
  window: PeriodWindow,
  sqlParameters: SqlParameters,
  rollupState: RollupState,
): string {
  const { orderBy } = query;
  const [tallied, counted] = [[signed(`t.${orderBy}`, 'rank')], [signed(`d.${orderBy}`, 'rank')]];
  return `
    with ${reportSubjects(query, sqlParameters)}, ${tallyFacts(query, windowSteps(window, rollupState), sqlParameters, tallied, counted)},
    each as (select period, identity, sum(days) as days, sum(rank) as rank from facts group by 1, 2)
    select e.period, w.key, coalesce(sum(e.rank), 0) as rank
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
}

/**
 * The change of one sum per person between two ranges. One query reads both: the boundary between adjacent ranges is
 * read once with double weight.
 */
export function rankPeopleChanges(
  query: ReportSelection,
  [now, before]: readonly [now: DayRange, before: DayRange],
  most: number,
  sqlParameters: SqlParameters,
  { settled }: RollupState,
): string {
  const { orderBy } = query;
  const steps = [{ period: 0, ...subtractSteps(tallyStepsOf(now, settled), tallyStepsOf(before, settled)) }];
  const [tallied, counted] = [[`s.sign * t.${orderBy} as rank`], [`s.sign * d.${orderBy} as rank`]];
  return `
    with ${reportSubjects(query, sqlParameters)}, ${tallyFacts(query, steps, sqlParameters, tallied, counted)},
    each as (select identity, sum(rank) as rank from facts group by 1)
    select w.key, sum(e.rank)::text as change from each e join who w on w.identity = e.identity
    group by 1 having sum(e.rank) <> 0 order by abs(sum(e.rank)) desc, 1 limit ${sqlParameters.add(most)}`;
}

const windowSteps = ({ first, periods }: PeriodWindow, { settled }: RollupState) =>
  periods.map((period, index) => ({ period: first + index, ...tallyStepsOf(period, settled) }));

const signed = (value: string, name: string) => `case s.sign when 1 then ${value} else -${value} end as ${name}`;

/**
 * The terms to add and subtract, as rows per identity. A filtered query looks up its identities one by one. An
 * unfiltered query sums all rows before it joins identities.
 */
function tallyFacts(
  { tenantId, where }: ReportSelection,
  all: readonly (TallySteps & { period: number })[],
  sqlParameters: SqlParameters,
  tallied: readonly string[],
  counted: readonly string[],
): string {
  const named = (kind: 'tallies' | 'days') => {
    const each = all.flatMap(({ period, [kind]: own }) => own.map((step) => ({ period, ...step })));
    return `unnest(${sqlParameters.add(each.map(({ period }) => period))}::int[], ${sqlParameters.add(each.map(({ sign }) => sign))}::int[],
      ${sqlParameters.add(each.map(({ day }) => day))}::date[]) s (period, sign, day)`;
  };
  const tenant = sqlParameters.add(tenantId);
  const isNarrow = where.personIds ?? where.identityIds ?? where.groupIds ?? where.costCentreIds;
  // "offset 0" forces an index scan per day: in a plain join, the planner takes a twentieth of all tallies for most of them
  const of = (table: string, name: string) =>
    isNarrow
      ? `cross join who w join ${table} ${name} on ${name}.tenant_id = ${tenant} and ${name}.day = s.day and ${name}.identity = w.identity`
      : `cross join lateral (select * from ${table} o where o.tenant_id = ${tenant} and o.day = s.day offset 0) ${name}`;
  return `
    facts as not materialized (
      select s.period, t.identity, ${signed('t.days', 'days')}, ${tallied.join(', ')} from ${named('tallies')} ${of('spend_tallies', 't')}
      union all
      select s.period, d.identity, s.sign as days, ${counted.join(', ')} from ${named('days')} ${of('spend_days', 'd')}
    )`;
}

/** A page of a source: newest period first, highest rank first within a period. */
export function orderedPage(
  source: string,
  rank: string,
  after: ReportPosition | null,
  most: number,
  sqlParameters: SqlParameters,
): string {
  const rest = after
    ? `where r.period > ${sqlParameters.add(after.period)} or (r.period = ${sqlParameters.add(after.period)} and (${rank} < ${sqlParameters.add(after.rank)}::numeric
         or (${rank} = ${sqlParameters.add(after.rank)}::numeric and r.key > ${sqlParameters.add(after.key)})))`
    : '';
  return `select r.*, ${rank}::text as position from (${source}) r ${rest} order by r.period, ${rank} desc, r.key limit ${sqlParameters.add(most)}`;
}

/** Keys by the absolute change of a sum from period 1 to period 0. */
export function rankedChanges(source: string, name: string, most: number, sqlParameters: SqlParameters): string {
  const change = `sum(case period when 0 then coalesce(${name}, 0) else -coalesce(${name}, 0) end)`;
  return `
    select key, ${change}::text as change from (${source}) r
    group by key having ${change} <> 0 order by abs(${change}) desc, key limit ${sqlParameters.add(most)}`;
}

/** The last row of a page. */
export interface ReportPosition {
  period: number;
  rank: string;
  key: string;
}
