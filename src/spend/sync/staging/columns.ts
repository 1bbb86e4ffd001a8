import { countMetrics, tokenMetrics } from '../../usage-row.js';

/** Columns of `spend_days` besides identity and day. */
export const dayColumns = [
  ...countMetrics,
  ...tokenMetrics,
  'charged_cents',
  'included_cents',
  'request_units',
] as const;

/** Columns of `spend_charges` besides identity, day, model and whether the charge is included. */
export const chargeColumns = ['events', ...tokenMetrics, 'charged_cents', 'list_cents', 'request_units'] as const;
