import { countMetrics, type Metric, tokenMetrics } from '../usage-row.js';

/** Money and units of a day, in addition to the metrics. */
export const amountColumns = ['charged_cents', 'included_cents', 'request_units'] as const;
export type Amount = (typeof amountColumns)[number];

/** The figures that a report sums. Unknown values are null, never 0. */
export const reportSumColumns = [...countMetrics, ...tokenMetrics, ...amountColumns] as const;
export type ReportSum = Metric | Amount;

/** The figures per model, which vendors report in events. */
export const modelSumColumns = [
  ...tokenMetrics,
  'events',
  'charged_cents',
  'included_cents',
  'list_cents',
  'request_units',
] as const;

/** Values of `scope` in the rollup tables. */
export const rollupScopes = { all: 0, group: 1, cost_centre: 2 } as const;
export type RollupScope = keyof typeof rollupScopes;

/** The unit of people without a group or cost centre. */
export const noUnitId = '00000000-0000-0000-0000-000000000000';
