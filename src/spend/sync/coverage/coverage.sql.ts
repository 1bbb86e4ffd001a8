import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import type { Cents } from '../../usage-row.js';

/** Coverage of one day, for the sync that has just fetched it. */

export type Stream = 'usage' | 'events';
interface StoredStream {
  stream: Stream;
  revision: number;
  checksum: Buffer | null;
}
export const lockStoredStreams = statement<[tenantId: string, connectionId: string, day: Day], StoredStream>(`
  select stream, revision, checksum from spend_coverage
  where tenant_id = $1 and connection_id = $2 and day = $3 for update`);

export const upsertCoverage = statement<
  [
    tenantId: string,
    connectionId: string,
    day: Day,
    stream: Stream,
    revisionOfDay: number,
    requestedAt: Date,
    rows: number,
    vendorTotal: number | null,
    checksum: Buffer,
    faultyRows: number,
    unknownFields: number,
    issues: string | null,
  ]
>(`
  insert into spend_coverage (tenant_id, connection_id, day, stream, state, revision, pulled_at, rows, vendor_total, checksum,
    faulty_rows, unknown_fields, reason)
  values ($1, $2, $3, $4, 'provisional', $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (tenant_id, connection_id, stream, day) do update
  set state = excluded.state, revision = excluded.revision, pulled_at = excluded.pulled_at, rows = excluded.rows,
      vendor_total = excluded.vendor_total, checksum = excluded.checksum, faulty_rows = excluded.faulty_rows,
      unknown_fields = excluded.unknown_fields, reason = excluded.reason`);

export const insertDayRevision = statement<
  [
    tenantId: string,
    connectionId: string,
    day: Day,
    revision: number,
    added: number,
    changed: number,
    removed: number,
    centsBefore: Cents | null,
    centsAfter: Cents | null,
  ]
>(`
  insert into spend_revisions (tenant_id, connection_id, day, revision, recorded_at, rows_added, rows_changed, rows_removed,
    charged_cents_before, charged_cents_after)
  values ($1, $2, $3, $4, now(), $5, $6, $7, $8, $9)`);

/** Records why days could not be fetched. Their stored data stays. */
export const recordDayFailure = statement<
  [tenantId: string, connectionId: string, days: readonly Day[], stream: Stream, reason: string]
>(`
  update spend_coverage set reason = $5
  where tenant_id = $1 and connection_id = $2 and day = any ($3::date[]) and stream = $4`);
