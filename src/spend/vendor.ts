import type { Day } from '../platform/time/day.js';
import type { ConnectionContext } from '../connections/connector-registry.service.js';
import type { Cents, ChargeRow, UsageRow } from './usage-row.js';
import type { VendorIdentity } from '../people/vendor-identity.port.js';

/** Context of a sync from a vendor. */
export interface VendorSync {
  context: ConnectionContext;
  signal: AbortSignal;
  /** Called before each request. */
  onRequest(): void;
  /** Called when no request is sent before a time, because of rate limits or failed attempts. */
  onWait(until: Date, code: VendorErrorCode): void;
}

/** Issues found while reading a list from the vendor. */
export interface RowDiagnostics {
  /** Faults by row. A row without a valid day is omitted. An invalid count is null. */
  faulty: { row: number; reason: string }[];
  /** Unknown fields and how often each occurred. */
  unknownFields: Record<string, number>;
  /** The vendor's own count: users of a range, or events of a day. */
  vendorTotal?: number;
}

export interface VendorPage<Row> extends RowDiagnostics {
  rows: Row[];
}

/** The complete data of one UTC day, which can replace the stored day. */
export type VendorDay<Row> = VendorPage<Row>;

export interface VendorMember {
  identity: VendorIdentity;
  role?: string;
  /** Had a seat in the past. Vendors can also omit such members. */
  isRemoved: boolean;
}

/** Calls of tools of one MCP server by a user's assistant. */
export interface McpUsageRow {
  day: Day;
  identity: VendorIdentity;
  server: string;
  calls: number;
}

/**
 * The data source of a coding assistant's vendor. Days are UTC days, both ends included. Every method can throw
 * `VendorError` or the signal's reason; data that was emitted before is then incomplete.
 */
export interface SpendVendor {
  /** How many days back the vendor serves data, today included. */
  readonly daysBack: number;
  members(sync: VendorSync): Promise<VendorMember[]>;
  /** Each user and day once, in no particular order. */
  usage(sync: VendorSync, from: Day, to: Day): AsyncIterable<VendorPage<UsageRow>>;
  charges(sync: VendorSync, day: Day): Promise<VendorDay<ChargeRow>>;
  /** The vendor's total for all users since the billing cycle began, including included usage. */
  billingCycle?(sync: VendorSync): Promise<{ start: Day; cents: Cents } | null>;
  /** Each user, day and server once. */
  mcpUsage?(sync: VendorSync, from: Day, to: Day): AsyncIterable<VendorPage<McpUsageRow>>;
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

/** A failed vendor request. The message tells people what happened and what to do. It never contains a credential. */
export class VendorError extends Error {
  override readonly name = 'VendorError';

  constructor(
    readonly code: VendorErrorCode,
    message: string,
    /** The vendor rejects requests before this time. */
    readonly retryAfter?: Date,
    /** The observed problem in a few words. The message contains it too. */
    readonly detail?: string,
  ) {
    super(message);
  }

  /** The same request can succeed later. */
  get isTransient(): boolean {
    return this.code === 'rate_limited' || this.code === 'vendor_unavailable' || this.code === 'network';
  }
}
