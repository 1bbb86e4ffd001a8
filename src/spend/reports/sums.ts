import { counts, type Metric, tokens } from '../usage-row.js';

/** Money and units that a day knows besides the metrics. */
export const amounts = ['charged_cents', 'included_cents', 'request_units'] as const;
export type Amount = (typeof amounts)[number];

/** What a report adds up. Null where nobody knew it, and never 0 instead. */
export const sums = [...counts, ...tokens, ...amounts] as const;
export type Sum = Metric | Amount;

/** What is known per model: what the vendor counts in events. */
export const modelSums = [
  ...tokens,
  'events',
  'charged_cents',
  'included_cents',
  'list_cents',
  'request_units',
] as const;

/** Of `scope` in the roll-ups: what a row is the sum of. */
export const scopes = { all: 0, group: 1, cost_centre: 2 } as const;
export type Scope = keyof typeof scopes;

/** Whoever is in no group, or in no cost centre. */
export const noUnit = '00000000-0000-0000-0000-000000000000';
