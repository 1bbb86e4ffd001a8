import { statement } from '../platform/database/statement.js';

/**
 * Leases streams that have something to send, of each tenant at most `perTenant` at the same time. Processes do not wait
 * for each other.
 */
export const claimStreams = statement<
  [token: string, seconds: number, limit: number, perTenant: number],
  { tenantId: string; id: string }
>(
  `
  with ready as (
    select s.tenant_id, s.id, s.next_attempt_at,
           row_number() over (partition by s.tenant_id order by s.next_attempt_at) + (
             select count(*) from audit_streams l where l.tenant_id = s.tenant_id and l.lease_until >= now()) as place
    from audit_streams s
    where s.paused_at is null and s.stopped_at is null and s.next_attempt_at <= now()
      and (s.lease_until is null or s.lease_until < now())
      and (exists (select from audit_seals e where e.tenant_id = s.tenant_id and e.position >= s.position)
        or exists (select from audit_heads h
                   where h.tenant_id = s.tenant_id and h.size > s.head_size and h.size <= s.position))
  )
  update audit_streams set lease_token = $1, lease_until = now() + make_interval(secs => $2)
  where (tenant_id, id) in (
    select s.tenant_id, s.id from audit_streams s join ready r on r.tenant_id = s.tenant_id and r.id = s.id
    where r.place <= $4::bigint and (s.lease_until is null or s.lease_until < now())
    order by r.next_attempt_at limit $3 for update of s skip locked)
  returning tenant_id as "tenantId", id`,
);
