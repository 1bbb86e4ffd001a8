import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { AuditStreamKind } from './audit-stream.entity.js';

/** For the limit of the number of streams. */
export const lockAuditStreams = advisoryLock<[tenantId: string]>(`hashtext('audit streams'), hashtext($1::text)`);

export interface LeasedStream {
  tenantId: string;
  id: string;
  kind: AuditStreamKind;
  sealedSettings: Buffer;
  position: number;
  headSize: number;
  attempts: number;
  /** Administrators were notified of the outage, but not of its end. */
  isOutageNotified: boolean;
}
/** Renews the lease. No row: another process has it, or the stream was paused or removed. */
export const renewLease = statement<[tenantId: string, id: string, token: string, seconds: number], LeasedStream>(
  `
  update audit_streams set lease_until = now() + make_interval(secs => $4)
  where tenant_id = $1 and id = $2 and lease_token = $3 and paused_at is null
  returning tenant_id as "tenantId", id, kind, sealed_settings as "sealedSettings", position::float8 as position,
            head_size::float8 as "headSize", attempts, outage_notified_at is not null as "isOutageNotified"`,
  { neverNull: ['position', 'headSize', 'isOutageNotified'] },
);

/** Moves the cursor past a batch that was accepted. */
export const advanceStream = statement<
  [tenantId: string, id: string, token: string, position: number, headSize: number, sent: number, skipped: number]
>(
  `
  update audit_streams
  set position = $4, head_size = $5, sent_count = sent_count + $6::bigint, skipped_count = skipped_count + $7::bigint,
      last_sent_at = now(), attempts = 0, last_error = null, last_error_at = null,
      failing_since = null, outage_notified_at = null
  where tenant_id = $1 and id = $2 and lease_token = $3`,
);

/**
 * With a rejected event or head, the stream stops. The outage is notified once: when the stream stops, or after
 * `outageSeconds` without success.
 */
export const recordFailure = statement<
  [
    tenantId: string,
    id: string,
    token: string,
    error: string,
    pauseSeconds: number,
    rejectedPosition: number | null,
    rejectedHeadSize: number | null,
    outageSeconds: number,
  ],
  { isNewOutage: boolean }
>(
  `
  update audit_streams
  set attempts = attempts + 1, last_error = $4, last_error_at = now(),
      next_attempt_at = now() + make_interval(secs => $5), lease_token = null, lease_until = null,
      rejected_position = $6::bigint, rejected_head_size = $7::bigint,
      stopped_at = case when $6::bigint is not null or $7::bigint is not null then now() end,
      failing_since = coalesce(failing_since, now()),
      outage_notified_at = case
        when outage_notified_at is not null then outage_notified_at
        when $6::bigint is not null or $7::bigint is not null then now()
        when failing_since <= now() - make_interval(secs => $8) then now()
      end
  where tenant_id = $1 and id = $2 and lease_token = $3
  returning coalesce(outage_notified_at = now(), false) as "isNewOutage"`,
  { neverNull: ['isNewOutage'] },
);

/** The stream goes to the end of the queue. */
export const releaseLease = statement<[tenantId: string, id: string, token: string, pauseSeconds: number]>(
  `update audit_streams
   set lease_token = null, lease_until = null, next_attempt_at = now() + make_interval(secs => $4)
   where tenant_id = $1 and id = $2 and lease_token = $3`,
);
