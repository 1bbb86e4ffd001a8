import type { Tx } from '../../platform/database/tx.js';
import { type DayRange, daysOf } from '../../platform/time/day.js';
import { rollupStarts, subtractSteps, type TallySteps, tallyStepsOf } from './day-range.js';
import type { PeriodWindow, ReportGrouping, ReportSelection, RollupState } from './report-selection.js';
import {
  chargeSums,
  type ChargeParams,
  filteredPeopleAmountRanks,
  filteredPeopleCountRanks,
  filteredPeopleSums,
  type KeyChange,
  modelSums,
  type ModelSumParams,
  type PageParams,
  type PeopleParams,
  peopleAmountRanks,
  peopleCountRanks,
  peopleSums,
  type RankedKey,
  type ReportKey,
  type SubjectParams,
  type SumColumns,
  unitSums,
  type UnitSumParams,
} from './report.sql.js';
import { amountColumns, rollupScopes, type RollupScope } from './sums.js';

/** The statements of a source with the parameters of a query. The query orders pages and changes. */
interface ReportSource {
  sums(): Promise<(ReportKey & SumColumns)[]>;
  page(params: PageParams): Promise<(RankedKey & SumColumns)[]>;
  changes(limit: number): Promise<KeyChange[]>;
}

/** The smallest source that contains the result. */
export function reportSource(
  tx: Tx,
  query: ReportSelection,
  window: PeriodWindow,
  rollupState: RollupState,
): ReportSource {
  const unit = freshUnitQuery(query, rollupState);
  if (query.isOfModels) return unit ? modelSource(tx, unit, window) : chargeSource(tx, query, window);
  return unit ? unitSource(tx, unit, window) : peopleSource(tx, query, window, rollupState);
}

/** A query that rollups of units can answer. */
interface UnitQuery extends ReportSelection {
  by: Exclude<ReportGrouping, 'person'>;
  scope: number;
}

/** Null if rollups cannot answer the query, or their sums are stale. */
function freshUnitQuery(query: ReportSelection, { staleScopes }: RollupState): UnitQuery | null {
  const { by, where } = query;
  const scope = rollupScopeOf(query);
  if (by === 'person' || where.personIds || where.identityIds || !scope) return null;
  return staleScopes.includes(rollupScopes[scope]) ? null : { ...query, by, scope: rollupScopes[scope] };
}

/** The rollup scope that can answer the query, or null if none can. */
function rollupScopeOf({ by, where }: ReportSelection): RollupScope | null {
  const isOfGroups = by === 'group' || where.groupIds !== undefined;
  const isOfCostCentres = by === 'cost_centre' || where.costCentreIds !== undefined;
  if (isOfGroups && isOfCostCentres) return null;
  return isOfGroups ? 'group' : isOfCostCentres ? 'cost_centre' : 'all';
}

const unitIdsOf = ({ where }: ReportSelection) => where.groupIds ?? where.costCentreIds ?? null;

function unitSource(tx: Tx, query: UnitQuery, { first, periods }: PeriodWindow): ReportSource {
  const { tenantId, by, scope, where, orderBy } = query;
  const starts = periods.flatMap((period, index) =>
    rollupStarts(period).map((start) => ({ period: first + index, ...start })),
  );
  const params: UnitSumParams = [
    ...([tenantId, by, where.connectionIds ?? null, scope, unitIdsOf(query)] as const),
    starts.map(({ period }) => period),
    starts.map(({ span }) => span),
    starts.map(({ start }) => start),
  ];
  return {
    sums: () => tx.run(unitSums.sums, params),
    page: (page) => tx.run(unitSums.page, [...params, orderBy, ...page]),
    changes: (limit) => tx.run(unitSums.changes, [...params, orderBy, limit]),
  };
}

function modelSource(tx: Tx, query: UnitQuery, window: PeriodWindow): ReportSource {
  const { tenantId, by, scope, where, orderBy } = query;
  const params: ModelSumParams = [
    ...([tenantId, by, where.connectionIds ?? null, scope, unitIdsOf(query)] as const),
    where.models ?? null,
    ...periodParams(window),
  ];
  return {
    sums: () => tx.run(modelSums.sums, params),
    page: (page) => tx.run(modelSums.page, [...params, orderBy, ...page]),
    changes: (limit) => tx.run(modelSums.changes, [...params, orderBy, limit]),
  };
}

function chargeSource(tx: Tx, query: ReportSelection, { first, periods }: PeriodWindow): ReportSource {
  const { where, orderBy } = query;
  const days = periods.flatMap((period, index) => daysOf(period).map((day) => ({ period: first + index, day })));
  const params: ChargeParams = [
    ...subjectParams(query),
    where.models ?? null,
    days.map(({ period }) => period),
    days.map(({ day }) => day),
  ];
  return {
    sums: () => tx.run(chargeSums.sums, params),
    page: (page) => tx.run(chargeSums.page, [...params, orderBy, ...page]),
    changes: (limit) => tx.run(chargeSums.changes, [...params, orderBy, limit]),
  };
}

function peopleSource(tx: Tx, query: ReportSelection, window: PeriodWindow, rollupState: RollupState): ReportSource {
  const { orderBy } = query;
  const params = peopleParams(query, windowSteps(window, rollupState));
  const statements = isFiltered(query) ? filteredPeopleSums : peopleSums;
  return {
    sums: () => tx.run(statements.sums, params),
    page: (page) => tx.run(statements.page, [...params, orderBy, ...page]),
    changes: (limit) => tx.run(statements.changes, [...params, orderBy, limit]),
  };
}

/** People in order, without their sums. */
export function rankPeople(
  tx: Tx,
  query: ReportSelection,
  window: PeriodWindow,
  rollupState: RollupState,
  page: PageParams,
): Promise<RankedKey[]> {
  return tx.run(rankStatementsFor(query).page, [
    ...peopleParams(query, windowSteps(window, rollupState)),
    query.orderBy,
    ...page,
  ]);
}

export function rankPeopleChanges(
  tx: Tx,
  query: ReportSelection,
  [now, before]: readonly [now: DayRange, before: DayRange],
  { settled }: RollupState,
  limit: number,
): Promise<KeyChange[]> {
  const steps = [{ period: 0, ...subtractSteps(tallyStepsOf(now, settled), tallyStepsOf(before, settled)) }];
  return tx.run(rankStatementsFor(query).changes, [...peopleParams(query, steps), query.orderBy, limit]);
}

function rankStatementsFor(query: ReportSelection) {
  const isAmount = (amountColumns as readonly string[]).includes(query.orderBy);
  if (isFiltered(query)) return isAmount ? filteredPeopleAmountRanks : filteredPeopleCountRanks;
  return isAmount ? peopleAmountRanks : peopleCountRanks;
}

const isFiltered = ({ where }: ReportSelection): boolean =>
  [where.personIds, where.identityIds, where.groupIds, where.costCentreIds].some((ids) => ids !== undefined);

const windowSteps = ({ first, periods }: PeriodWindow, { settled }: RollupState) =>
  periods.map((period, index) => ({ period: first + index, ...tallyStepsOf(period, settled) }));

export function subjectParams({ tenantId, by, where }: ReportSelection): SubjectParams {
  const { connectionIds, groupIds, costCentreIds, personIds, identityIds } = where;
  return [
    tenantId,
    by,
    connectionIds ?? null,
    groupIds ?? null,
    costCentreIds ?? null,
    personIds ?? null,
    identityIds ?? null,
  ];
}

function peopleParams(query: ReportSelection, all: readonly (TallySteps & { period: number })[]): PeopleParams {
  const termsOf = (kind: keyof TallySteps) => {
    const terms = all.flatMap(({ period, [kind]: steps }) => steps.map((step) => ({ period, ...step })));
    return [terms.map(({ period }) => period), terms.map(({ sign }) => sign), terms.map(({ day }) => day)] as const;
  };
  return [...subjectParams(query), ...termsOf('tallies'), ...termsOf('days')];
}

export const periodParams = ({ first, periods }: PeriodWindow) =>
  [periods.map((_, index) => first + index), periods.map(({ from }) => from), periods.map(({ to }) => to)] as const;
