/** Coverage of one day, for the sync that has just fetched it. $1 tenant, $2 connection, $3 day */

export interface StoredStream {
  stream: 'usage' | 'events';
  revision: number;
  checksum: Buffer | null;
}
export const lockStoredStreams = `
  select stream, revision, checksum from spend_coverage
  where tenant_id = $1 and connection_id = $2 and day = $3 for update`;

/**
 * $4 stream, $5 revision of the day, $6 time of the request, $7 rows, $8 the vendor's count, $9 checksum, $10 faulty
 * rows, $11 unknown fields, $12 issues
 */
export const upsertCoverage = `
  insert into spend_coverage (tenant_id, connection_id, day, stream, state, revision, pulled_at, rows, vendor_total, checksum,
    faulty_rows, unknown_fields, reason)
  values ($1, $2, $3, $4, 'provisional', $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (tenant_id, connection_id, stream, day) do update
  set state = excluded.state, revision = excluded.revision, pulled_at = excluded.pulled_at, rows = excluded.rows,
      vendor_total = excluded.vendor_total, checksum = excluded.checksum, faulty_rows = excluded.faulty_rows,
      unknown_fields = excluded.unknown_fields, reason = excluded.reason`;

/** $4 revision, $5 added, $6 changed, $7 removed, $8 cents before, $9 cents after */
export const insertDayRevision = `
  insert into spend_revisions (tenant_id, connection_id, day, revision, recorded_at, rows_added, rows_changed, rows_removed,
    charged_cents_before, charged_cents_after)
  values ($1, $2, $3, $4, now(), $5, $6, $7, $8, $9)`;

/** Records why days could not be fetched. Their stored data stays. $3 days, $4 stream, $5 reason */
export const recordDayFailure = `
  update spend_coverage set reason = $5
  where tenant_id = $1 and connection_id = $2 and day = any ($3::date[]) and stream = $4`;
