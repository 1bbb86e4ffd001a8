import { countMetrics, tokenMetrics } from '../../usage-row.js';

/** What a row of `spend_days` knows besides whose and when. */
export const dayColumns = [
  ...countMetrics,
  ...tokenMetrics,
  'charged_cents',
  'included_cents',
  'request_units',
] as const;

/** What a row of `spend_charges` knows besides whose, when, of which model and how paid. */
export const chargeColumns = ['events', ...tokenMetrics, 'charged_cents', 'list_cents', 'request_units'] as const;
