import type { Day } from '../usage-row.js';
import type { ReportPeriod, DayRange } from './day-range.js';
import type { ReportSum } from './sums.js';

export type ReportGrouping = 'nothing' | 'person' | 'group' | 'cost_centre' | 'model' | 'connection';

/** What a report lets through; what is not named is not asked for. `noUnitId` stands for whoever is in none. */
export interface ReportFilter {
  connectionIds?: readonly string[];
  groupIds?: readonly string[];
  costCentreIds?: readonly string[];
  personIds?: readonly string[];
  /** Whom nobody was matched to. */
  identityIds?: readonly number[];
  /** Numbers of `spend_models`. */
  models?: readonly number[];
}

export interface ReportSelection {
  tenantId: string;
  by: ReportGrouping;
  where: ReportFilter;
  /** Of what vendors count by model: tokens, events and money. */
  isOfModels: boolean;
  /** The greatest first, within each period. */
  orderBy: ReportSum;
}

/** What the sums stand on: how far tallies are right, and which units' sums were made with other people in them. */
export interface RollupState {
  settled: Day | null;
  staleScopes: readonly number[];
}

/** Part of the list of periods: `first` is the number of the first one. */
export interface PeriodWindow {
  first: number;
  periods: readonly DayRange[];
}

export interface ReportQuery extends ReportSelection, DayRange {
  per: ReportPeriod;
}
