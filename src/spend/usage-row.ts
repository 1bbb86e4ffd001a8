/** The metrics of the house, per person and UTC day, with their units. Null is "not known", never 0. */
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

/** A UTC day: `2026-11-20`. */
export type Day = string;
/** An exact decimal number of cents, as text: `21.36232`. */
export type Cents = string;

export const identityKinds = [
  'email',
  'login',
  'vendor_user_id',
  'service_account',
  'api_key',
  'unattributed',
] as const;
export type IdentityKind = (typeof identityKinds)[number];

/** Whom a vendor names. `key` is normalized: two rows of one user have one key. */
export interface VendorIdentity {
  kind: IdentityKind;
  key: string;
  email?: string;
  vendorUserId?: string;
  name?: string;
}

/** What a vendor counted for one user on one day. */
export interface UsageRow extends Partial<Record<CountMetric, number | null>> {
  day: Day;
  identity: VendorIdentity;
  clientVersion?: string;
}

/** All events of one user, day, model and way of paying, summed up exactly. */
export interface ChargeRow extends Partial<Record<TokenMetric, number | null>> {
  day: Day;
  identity: VendorIdentity;
  model: string;
  /** Paid for by the subscription (not charged on top). */
  isIncluded: boolean;
  events: number;
  chargedCents: Cents | null;
  /** What it would cost without discounts. */
  listCents: Cents | null;
  requestUnits: string | null;
}
