import { statement } from '../platform/database/statement.js';

/** Leases streams that have something to send. Processes do not wait for each other. */
export const claimStreams = statement<
  [token: string, seconds: number, limit: number],
  { tenantId: string; id: string }
>(
  `
  update audit_streams set lease_token = $1, lease_until = now() + make_interval(secs => $2)
  where (tenant_id, id) in (
    select s.tenant_id, s.id from audit_streams s
    where s.paused_at is null and s.next_attempt_at <= now() and (s.lease_until is null or s.lease_until < now())
      and (exists (select from audit_seals e where e.tenant_id = s.tenant_id and e.position >= s.position)
        or exists (select from audit_heads h
                   where h.tenant_id = s.tenant_id and h.size > s.head_size and h.size <= s.position))
    order by s.next_attempt_at limit $3 for update skip locked)
  returning tenant_id as "tenantId", id`,
);
