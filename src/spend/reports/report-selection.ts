import type { Day, DayRange } from '../../platform/time/day.js';
import type { ReportPeriod } from './day-range.js';
import type { ReportSum } from './sums.js';

export type ReportGrouping = 'nothing' | 'person' | 'group' | 'cost_centre' | 'model' | 'connection';

/** Filter of a report. An omitted field does not filter. `noUnitId` stands for people without a unit. */
export interface ReportFilter {
  connectionIds?: readonly string[];
  groupIds?: readonly string[];
  costCentreIds?: readonly string[];
  personIds?: readonly string[];
  /** Unmatched identities. */
  identityIds?: readonly number[];
  /** Ids in `spend_models`. */
  models?: readonly number[];
}

export interface ReportSelection {
  tenantId: string;
  by: ReportGrouping;
  where: ReportFilter;
  /** Reads the figures that vendors count by model: tokens, events and money. */
  isOfModels: boolean;
  /** Descending within each period. */
  orderBy: ReportSum;
}

/** The day up to which tallies are settled, and the unit scopes whose sums are stale. */
export interface RollupState {
  settled: Day | null;
  staleScopes: number[];
}

/** A slice of the list of periods. `first` is the index of its first period. */
export interface PeriodWindow {
  first: number;
  periods: readonly DayRange[];
}

export interface ReportQuery extends ReportSelection, DayRange {
  per: ReportPeriod;
  /** People and identities are shown by pseudonym. */
  pseudonyms: boolean;
}
