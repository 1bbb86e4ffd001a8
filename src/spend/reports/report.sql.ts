import { daysOf, lessSteps, type Range, startsOf, type Steps, stepsOf } from './calendar.js';
import type { By, Question, Standing, Window } from './question.js';
import { modelSumOf } from './rollups.sql.js';
import { modelSums, noUnit, scopes, sums, type Scope } from './sums.js';

/* One report is read from the smallest table that knows the answer. All of them give rows (period, key, every sum). */

/** Parameters of a statement, in the order in which it names them. */
export class Values {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

type Source = (question: Question, window: Window, values: Values, standing: Standing) => string;

export function sourceOf(question: Question, standing: Standing): Source {
  const { by, where, isOfModels } = question;
  const isOfUnits = by !== 'person' && !where.personIds && !where.identityIds && scopeOf(question) !== null;
  const isFresh = isOfUnits && !standing.staleScopes.includes(scopes[scopeOf(question)!]);
  if (isOfModels) return isFresh ? ofModelSums : ofCharges;
  return isFresh ? ofUnitSums : ofPeople;
}

/** Whose sums answer it, if one kind of unit's do. */
function scopeOf({ by, where }: Question): Scope | null {
  const isOfGroups = by === 'group' || where.groupIds !== undefined;
  const isOfCostCentres = by === 'cost_centre' || where.costCentreIds !== undefined;
  if (isOfGroups && isOfCostCentres) return null;
  return isOfGroups ? 'group' : isOfCostCentres ? 'cost_centre' : 'all';
}

const list = (columns: readonly string[], each: (name: string) => string) => columns.map(each).join(', ');
const summed = (table: string) => list(sums, (name) => `sum(${table}.${name}) as ${name}`);

const unitKeys: Record<Exclude<By, 'person'>, string> = {
  nothing: `''`,
  group: 'u.unit_id::text',
  cost_centre: 'u.unit_id::text',
  connection: 'u.connection_id::text',
  model: 'u.model::text',
};

function narrowedUnits({ where }: Question, values: Values): string {
  const units = where.groupIds ?? where.costCentreIds;
  return [
    where.connectionIds && `and u.connection_id = any(${values.add(where.connectionIds)}::uuid[])`,
    units && `and u.unit_id = any(${values.add(units)}::uuid[])`,
    where.models && `and u.model = any(${values.add(where.models)}::int[])`,
  ]
    .filter(Boolean)
    .join(' ');
}

function ofUnitSums(question: Question, { first, periods }: Window, values: Values): string {
  const starts = periods.flatMap((period, index) =>
    startsOf(period).map((start) => ({ period: first + index, ...start })),
  );
  const at = `unnest(${values.add(starts.map(({ period }) => period))}::int[], ${values.add(starts.map(({ span }) => span))}::text[],
    ${values.add(starts.map(({ start }) => start))}::date[])`;
  return `
    select at.period, ${unitKeys[question.by as Exclude<By, 'person'>]} as key, ${summed('u')}
    from ${at} at (period, span, start)
    join spend_unit_sums u on u.tenant_id = ${values.add(question.tenantId)} and u.scope = ${values.add(scopes[scopeOf(question)!])}
      and u.span = at.span and u.start = at.start ${narrowedUnits(question, values)}
    group by 1, 2`;
}

function ofModelSums(question: Question, { first, periods }: Window, values: Values): string {
  return `
    select at.period, ${unitKeys[question.by as Exclude<By, 'person'>]} as key, ${fromModels('u', (name) => `sum(u.${name}) as ${name}`)}
    from unnest(${values.add(periods.map((_, index) => first + index))}::int[], ${values.add(periods.map(({ from }) => from))}::date[],
      ${values.add(periods.map(({ to }) => to))}::date[]) at (period, from_day, to_day)
    join spend_model_sums u on u.tenant_id = ${values.add(question.tenantId)} and u.scope = ${values.add(scopes[scopeOf(question)!])}
      and u.day between at.from_day and at.to_day ${narrowedUnits(question, values)}
    group by 1, 2`;
}

/** Vendors count requests and lines per person, not per model. */
const fromModels = (table: string, sum: (name: string) => string) =>
  [
    ...sums.map((name) => ((modelSums as readonly string[]).includes(name) ? sum(name) : `null::bigint as ${name}`)),
    sum('events'),
    sum('list_cents'),
  ].join(', ');

/** Whom a row counts for: the person, or whoever nobody was matched to; `who` has a row an identity. */
const whoKeys: Record<Exclude<By, 'model'>, string> = {
  nothing: `''`,
  person: `case when i.person_id is null then 'i' || i.id else 'p' || i.person_id end`,
  group: `coalesce(p.group_id, '${noUnit}')::text`,
  cost_centre: `coalesce(p.cost_centre_id, '${noUnit}')::text`,
  connection: 'i.connection_id::text',
};

export function who({ tenantId, by, where }: Question, values: Values): string {
  const { connectionIds, groupIds, costCentreIds, personIds, identityIds } = where;
  const people = [
    personIds && `i.person_id = any(${values.add(personIds)}::uuid[])`,
    identityIds && `(i.id = any(${values.add(identityIds)}::int[]) and i.person_id is null)`,
  ].filter(Boolean);
  const narrowed = [
    connectionIds && `and i.connection_id = any(${values.add(connectionIds)}::uuid[])`,
    groupIds && `and coalesce(p.group_id, '${noUnit}') = any(${values.add(groupIds)}::uuid[])`,
    costCentreIds && `and coalesce(p.cost_centre_id, '${noUnit}') = any(${values.add(costCentreIds)}::uuid[])`,
    people.length && `and (${people.join(' or ')})`,
  ].filter(Boolean);
  return `
    who as materialized (
      select i.id as identity, i.connection_id, i.person_id, ${by === 'model' ? `''` : whoKeys[by]} as key
      from spend_identities i left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
      where i.tenant_id = ${values.add(tenantId)} ${narrowed.join(' ')}
    )`;
}

/** Only who was narrowed to few: everybody's charges of years are many. */
function ofCharges(question: Question, { first, periods }: Window, values: Values): string {
  const days = periods.flatMap((period, index) => daysOf(period).map((day) => ({ period: first + index, day })));
  const { models } = question.where;
  return `
    with ${who(question, values)}
    select at.period, ${question.by === 'model' ? 'd.model::text' : 'w.key'} as key, ${fromModels('d', modelSumOf)}
    from unnest(${values.add(days.map(({ period }) => period))}::int[], ${values.add(days.map(({ day }) => day))}::date[]) at (period, day)
    cross join who w
    join spend_charges d on d.tenant_id = ${values.add(question.tenantId)} and d.day = at.day and d.identity = w.identity
      ${models ? `and d.model = any(${values.add(models)}::int[])` : ''}
    group by 1, 2`;
}

function ofPeople(question: Question, window: Window, values: Values, standing: Standing): string {
  const tallied = sums.flatMap((name, index) => [
    signed(`t.${name}`, name),
    signed(`t.known[${index + 1}]`, `${name}_known`),
  ]);
  const counted = sums.flatMap((name) => [
    signed(`d.${name}`, name),
    signed(`(d.${name} is not null)::int`, `${name}_known`),
  ]);
  const both = sums.flatMap((name) => [name, `${name}_known`]);
  return `
    with ${who(question, values)}, ${facts(question, stepsIn(window, standing), values, tallied, counted)},
    each as (select period, identity, sum(days) as days, ${list(both, (name) => `sum(${name}) as ${name}`)} from facts group by 1, 2)
    select e.period, w.key, ${list(sums, (name) => `case when sum(e.${name}_known) > 0 then sum(e.${name}) end as ${name}`)}
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
}

/** One sum only, for the order of many people; the page's people get all of theirs afterwards. */
export function ranksOfPeople(question: Question, window: Window, values: Values, standing: Standing): string {
  const { orderBy } = question;
  const [tallied, counted] = [[signed(`t.${orderBy}`, 'rank')], [signed(`d.${orderBy}`, 'rank')]];
  return `
    with ${who(question, values)}, ${facts(question, stepsIn(window, standing), values, tallied, counted)},
    each as (select period, identity, sum(days) as days, sum(rank) as rank from facts group by 1, 2)
    select e.period, w.key, coalesce(sum(e.rank), 0) as rank
    from each e join who w on w.identity = e.identity group by 1, 2 having sum(e.days) > 0`;
}

/**
 * How much one sum of people changed between two ranges. Both are read at once: what lies between ranges that touch is read
 * once, with twice the weight.
 */
export function changesOfPeople(
  question: Question,
  [now, before]: readonly [now: Range, before: Range],
  most: number,
  values: Values,
  { settled }: Standing,
): string {
  const { orderBy } = question;
  const steps = [{ period: 0, ...lessSteps(stepsOf(now, settled), stepsOf(before, settled)) }];
  const [tallied, counted] = [[`s.sign * t.${orderBy} as rank`], [`s.sign * d.${orderBy} as rank`]];
  return `
    with ${who(question, values)}, ${facts(question, steps, values, tallied, counted)},
    each as (select identity, sum(rank) as rank from facts group by 1)
    select w.key, sum(e.rank)::text as change from each e join who w on w.identity = e.identity
    group by 1 having sum(e.rank) <> 0 order by abs(sum(e.rank)) desc, 1 limit ${values.add(most)}`;
}

const stepsIn = ({ first, periods }: Window, { settled }: Standing) =>
  periods.map((period, index) => ({ period: first + index, ...stepsOf(period, settled) }));

const signed = (value: string, name: string) => `case s.sign when 1 then ${value} else -${value} end as ${name}`;

/**
 * What is added and taken away, in rows of identities. Who was narrowed to few is looked up one by one; else everybody's rows
 * are summed before anybody asks whose they are.
 */
function facts(
  { tenantId, where }: Question,
  all: readonly (Steps & { period: number })[],
  values: Values,
  tallied: readonly string[],
  counted: readonly string[],
): string {
  const named = (kind: 'tallies' | 'days') => {
    const each = all.flatMap(({ period, [kind]: own }) => own.map((step) => ({ period, ...step })));
    return `unnest(${values.add(each.map(({ period }) => period))}::int[], ${values.add(each.map(({ sign }) => sign))}::int[],
      ${values.add(each.map(({ day }) => day))}::date[]) s (period, sign, day)`;
  };
  const tenant = values.add(tenantId);
  const isNarrow = where.personIds ?? where.identityIds ?? where.groupIds ?? where.costCentreIds;
  // "offset 0": day after day by the index. Joined freely, a twentieth of all tallies looks to the planner as if it were most of them
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

/** A page of what a source gives: newest period first, the greatest first in each. */
export function ordered(source: string, rank: string, after: Position | null, most: number, values: Values): string {
  const rest = after
    ? `where r.period > ${values.add(after.period)} or (r.period = ${values.add(after.period)} and (${rank} < ${values.add(after.rank)}::numeric
         or (${rank} = ${values.add(after.rank)}::numeric and r.key > ${values.add(after.key)})))`
    : '';
  return `select r.*, ${rank}::text as position from (${source}) r ${rest} order by r.period, ${rank} desc, r.key limit ${values.add(most)}`;
}

/** Whose sum changed most from period 1 to period 0. */
export function changed(source: string, name: string, most: number, values: Values): string {
  const change = `sum(case period when 0 then coalesce(${name}, 0) else -coalesce(${name}, 0) end)`;
  return `
    select key, ${change}::text as change from (${source}) r
    group by key having ${change} <> 0 order by abs(${change}) desc, key limit ${values.add(most)}`;
}

/** Where a page ended. */
export interface Position {
  period: number;
  rank: string;
  key: string;
}
