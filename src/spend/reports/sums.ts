import { countMetrics, type Metric, tokenMetrics } from '../usage-row.js';

/** Money and units that a day knows besides the metrics. */
export const amountColumns = ['charged_cents', 'included_cents', 'request_units'] as const;
export type Amount = (typeof amountColumns)[number];

/** What a report adds up. Null where nobody knew it, and never 0 instead. */
export const reportSumColumns = [...countMetrics, ...tokenMetrics, ...amountColumns] as const;
export type ReportSum = Metric | Amount;

/** What is known per model: what the vendor counts in events. */
export const modelSumColumns = [
  ...tokenMetrics,
  'events',
  'charged_cents',
  'included_cents',
  'list_cents',
  'request_units',
] as const;

/** Of `scope` in the roll-ups: what a row is the sum of. */
export const rollupScopes = { all: 0, group: 1, cost_centre: 2 } as const;
export type RollupScope = keyof typeof rollupScopes;

/** Whoever is in no group, or in no cost centre. */
export const noUnitId = '00000000-0000-0000-0000-000000000000';
