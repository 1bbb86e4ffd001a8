import type { VendorIdentity } from '../people/vendor-identity.port.js';
import type { Day } from '../platform/time/day.js';

/** Vendor-independent metrics per person and UTC day. Null means unknown; it is never replaced by 0. */
export const countMetrics = [
  'ai_requests_chat',
  'ai_requests_agent',
  'ai_requests_composer',
  'ai_requests_cmdk',
  'tab_completions_shown',
  'tab_completions_accepted',
  'applies_accepted',
  'applies_rejected',
  'lines_accepted_added',
  'lines_accepted_deleted',
  'subscription_included_requests',
  'usage_based_requests',
  'byo_api_key_requests',
] as const;
export const tokenMetrics = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_creation_tokens'] as const;
export const metrics = [...countMetrics, ...tokenMetrics] as const;
export type CountMetric = (typeof countMetrics)[number];
export type TokenMetric = (typeof tokenMetrics)[number];
export type Metric = (typeof metrics)[number];

/** The unit of each metric, as shown in GraphQL descriptions, CSV headers and the console. */
export const metricUnits = {
  ai_requests_chat: 'requests',
  ai_requests_agent: 'requests',
  ai_requests_composer: 'requests',
  ai_requests_cmdk: 'requests',
  tab_completions_shown: 'count',
  tab_completions_accepted: 'count',
  applies_accepted: 'count',
  applies_rejected: 'count',
  lines_accepted_added: 'count',
  lines_accepted_deleted: 'count',
  subscription_included_requests: 'requests',
  usage_based_requests: 'requests',
  byo_api_key_requests: 'requests',
  input_tokens: 'tokens',
  output_tokens: 'tokens',
  cache_read_tokens: 'tokens',
  cache_creation_tokens: 'tokens',
} as const satisfies Record<Metric, 'requests' | 'count' | 'tokens'>;

/** An exact decimal number of cents, as text: `21.36232`. */
export type Cents = string;

/** Counts of one user on one day. */
export interface UsageRow extends Partial<Record<CountMetric, number | null>> {
  day: Day;
  identity: VendorIdentity;
  clientVersion?: string;
}

/** Exact sums of all events of one user, day, model and payment type. */
export interface ChargeRow extends Partial<Record<TokenMetric, number | null>> {
  day: Day;
  identity: VendorIdentity;
  model: string;
  /** Covered by the subscription, not charged in addition. */
  isIncluded: boolean;
  events: number;
  chargedCents: Cents | null;
  /** Cost without discounts. */
  listCents: Cents | null;
  requestUnits: string | null;
}
