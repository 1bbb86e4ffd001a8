import { statement } from '../../platform/database/statement.js';

/** Finds due rosters across all tenants. */

export const insertMissingRosters = statement<[connectors: readonly string[]]>(`
  insert into source_rosters (tenant_id, connection_id, next_at)
  select tenant_id, id, now()
  from connections c
  where kind = any($1::text[]) and removed_at is null
    and not exists (select 1 from source_rosters r where r.tenant_id = c.tenant_id and r.connection_id = c.id)
  on conflict do nothing`);

/**
 * A roster is due by schedule, after its process died, or after the settings changed. A claimed roster is due again after
 * a minute, in case its job is lost.
 */
export const claimDueRosters = statement<[], { tenantId: string; connectionId: string }>(`
  update source_rosters s
  set next_at = now() + interval '60 seconds', running_until = null
  from connections c
  where c.tenant_id = s.tenant_id and c.id = s.connection_id and c.removed_at is null and c.paused_at is null
    and (s.running_until is null or s.running_until < now())
    and (s.running_until < now() or s.next_at <= now()
         or (s.next_at > now() + interval '60 seconds' and c.revision is distinct from s.connection_revision))
  returning s.tenant_id as "tenantId", s.connection_id as "connectionId"`);
