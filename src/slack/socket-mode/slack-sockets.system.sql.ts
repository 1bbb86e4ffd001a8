import { statement } from '../../platform/database/statement.js';

/** Leases the connections that no process holds. Processes do not wait for each other. */
export const claimSlackSockets = statement<[lease: string, seconds: number, limit: number], { tenantId: string }>(`
  update slack_sockets
  set lease_token = $1, lease_until = now() + make_interval(secs => $2), connected_at = null,
      disconnected_at = coalesce(disconnected_at, lease_until, now())
  where tenant_id in (
    select tenant_id from slack_sockets
    where next_attempt_at <= now() and (lease_until is null or lease_until < now())
    order by next_attempt_at limit $3 for update skip locked)
  returning tenant_id as "tenantId"`);
