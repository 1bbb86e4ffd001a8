import type { ConnectionContext } from '../connections/connector-registry.service.js';
import type { Cents, ChargeRow, Day, UsageRow, VendorIdentity } from './usage-row.js';

/** What a pull from a vendor has at hand. */
export interface VendorSync {
  context: ConnectionContext;
  signal: AbortSignal;
  /** Before each request that is sent. */
  onRequest(): void;
  /** When nothing is sent before a time: for the vendor's limits, or because the last attempts failed. */
  onWait(until: Date, code: VendorErrorCode): void;
}

/** What came out of reading a list whose rows are the vendor's word. */
export interface RowDiagnostics {
  /** What could not be read of which row, in words. A row whose day cannot be told is left out; a count that cannot be told is null. */
  faulty: { row: number; reason: string }[];
  /** How often which field was met that we know nothing of. */
  unknownFields: Record<string, number>;
  /** How many there are by the vendor's own count: users of a window, events of a day. */
  vendorTotal?: number;
}

export interface VendorPage<Row> extends RowDiagnostics {
  rows: Row[];
}

/** All of one UTC day: a whole that can replace another. */
export type VendorDay<Row> = VendorPage<Row>;

export interface VendorMember {
  identity: VendorIdentity;
  role?: string;
  /** Once had a seat. Vendors may also just leave such people out. */
  isRemoved: boolean;
}

/** How often somebody's assistant called tools of one MCP server. */
export interface McpUsageRow {
  day: Day;
  identity: VendorIdentity;
  server: string;
  calls: number;
}

/**
 * What is pulled from the vendor of a coding assistant. Days are UTC days, both ends included. Everything may throw
 * `VendorError`, or the signal's reason; whatever was handed over before that is then not the whole.
 */
export interface SpendVendor {
  /** How many days back the vendor can be asked, today included. */
  readonly daysBack: number;
  members(pull: VendorSync): Promise<VendorMember[]>;
  /** Each user and day once, in no particular order. */
  usage(pull: VendorSync, from: Day, to: Day): AsyncIterable<VendorPage<UsageRow>>;
  charges(pull: VendorSync, day: Day): Promise<VendorDay<ChargeRow>>;
  /** What the vendor says all of us have used since the billing cycle began, what is included too. */
  billingCycle?(pull: VendorSync): Promise<{ start: Day; cents: Cents } | null>;
  /** Each user, day and server once. */
  mcpUsage?(pull: VendorSync, from: Day, to: Day): AsyncIterable<VendorPage<McpUsageRow>>;
}

export const vendorErrorCodes = [
  'invalid_key',
  'not_team_admin_key',
  'missing_scope',
  'plan_not_enterprise',
  'rate_limited',
  'vendor_unavailable',
  'network',
  'unexpected_answer',
] as const;
export type VendorErrorCode = (typeof vendorErrorCodes)[number];

/** Why a vendor could not be read. The message is for people: what happened and what to do; it never holds a credential. */
export class VendorError extends Error {
  override readonly name = 'VendorError';

  constructor(
    readonly code: VendorErrorCode,
    message: string,
    /** Before that, the vendor wants no further request. */
    readonly retryAfter?: Date,
    /** What was seen, in a few words. The message holds it too. */
    readonly detail?: string,
  ) {
    super(message);
  }

  /** It may go away by itself: the same request can be sent again later. */
  get isTransient(): boolean {
    return this.code === 'rate_limited' || this.code === 'vendor_unavailable' || this.code === 'network';
  }
}
