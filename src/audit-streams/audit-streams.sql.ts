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
}
/** Renews the lease. No row: another process has it, or the stream was paused or removed. */
export const renewLease = statement<[tenantId: string, id: string, token: string, seconds: number], LeasedStream>(
  `
  update audit_streams set lease_until = now() + make_interval(secs => $4)
  where tenant_id = $1 and id = $2 and lease_token = $3 and paused_at is null
  returning tenant_id as "tenantId", id, kind, sealed_settings as "sealedSettings", position::float8 as position,
            head_size::float8 as "headSize", attempts`,
  { neverNull: ['position', 'headSize'] },
);

/** Moves the cursor past a batch that was accepted. */
export const advanceStream = statement<
  [tenantId: string, id: string, token: string, position: number, headSize: number, sent: number, skipped: number]
>(
  `
  update audit_streams
  set position = $4, head_size = $5, sent_count = sent_count + $6::bigint, skipped_count = skipped_count + $7::bigint,
      last_sent_at = now(), attempts = 0, last_error = null, last_error_at = null
  where tenant_id = $1 and id = $2 and lease_token = $3`,
);

/** With a rejected event or head, the stream stops. */
export const recordFailure = statement<
  [
    tenantId: string,
    id: string,
    token: string,
    error: string,
    pauseSeconds: number,
    rejectedPosition: number | null,
    rejectedHeadSize: number | null,
  ]
>(
  `
  update audit_streams
  set attempts = attempts + 1, last_error = $4, last_error_at = now(),
      next_attempt_at = now() + make_interval(secs => $5), lease_token = null, lease_until = null,
      rejected_position = $6::bigint, rejected_head_size = $7::bigint,
      stopped_at = case when $6::bigint is not null or $7::bigint is not null then now() end
  where tenant_id = $1 and id = $2 and lease_token = $3`,
);

/** The stream goes to the end of the queue. */
export const releaseLease = statement<[tenantId: string, id: string, token: string, pauseSeconds: number]>(
  `update audit_streams
   set lease_token = null, lease_until = null, next_attempt_at = now() + make_interval(secs => $4)
   where tenant_id = $1 and id = $2 and lease_token = $3`,
);
