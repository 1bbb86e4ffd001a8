import type { Day } from '../usage-row.js';
import type { Per, Range } from './calendar.js';
import type { Sum } from './sums.js';

export type By = 'nothing' | 'person' | 'group' | 'cost_centre' | 'model' | 'connection';

/** What a report lets through; what is not named is not asked for. `noUnit` stands for whoever is in none. */
export interface Narrowed {
  connectionIds?: readonly string[];
  groupIds?: readonly string[];
  costCentreIds?: readonly string[];
  personIds?: readonly string[];
  /** Whom nobody was matched to. */
  identityIds?: readonly number[];
  /** Numbers of `spend_models`. */
  models?: readonly number[];
}

export interface Question {
  tenantId: string;
  by: By;
  where: Narrowed;
  /** Of what vendors count by model: tokens, events and money. */
  isOfModels: boolean;
  /** The greatest first, within each period. */
  orderBy: Sum;
}

/** What the sums stand on: how far tallies are right, and which units' sums were made with other people in them. */
export interface Standing {
  settled: Day | null;
  staleScopes: readonly number[];
}

/** Part of the list of periods: `first` is the number of the first one. */
export interface Window {
  first: number;
  periods: readonly Range[];
}

export interface ReportQuestion extends Question, Range {
  per: Per;
}
