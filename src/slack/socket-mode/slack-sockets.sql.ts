import { statement } from '../../platform/database/statement.js';

export interface LeasedSlackSocket {
  tenantId: string;
  revision: string;
  sealedToken: Buffer;
  attempts: number;
}
/** No row: another process has the lease, or the token was replaced or removed. */
export const renewSlackSocket = statement<[tenantId: string, lease: string, seconds: number], LeasedSlackSocket>(`
  update slack_sockets set lease_until = now() + make_interval(secs => $3)
  where tenant_id = $1 and lease_token = $2
  returning tenant_id as "tenantId", revision, sealed_token as "sealedToken", attempts`);

export const recordSlackSocketConnected = statement<[tenantId: string, lease: string]>(`
  update slack_sockets set connected_at = now(), disconnected_at = null, last_error = null
  where tenant_id = $1 and lease_token = $2`);

/** `error` null: this process shuts down, and another one connects. */
export const releaseSlackSocket = statement<
  [tenantId: string, lease: string, attempts: number, error: string | null, pauseSeconds: number]
>(`
  update slack_sockets
  set connected_at = null, disconnected_at = coalesce(disconnected_at, now()), attempts = $3, last_error = $4,
      next_attempt_at = now() + make_interval(secs => $5), lease_token = null, lease_until = null
  where tenant_id = $1 and lease_token = $2`);
