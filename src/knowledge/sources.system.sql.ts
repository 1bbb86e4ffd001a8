import { statement } from '../platform/database/statement.js';

/** Finds due sources across all tenants. */

export const insertMissingSources = statement<
  [syncedConnectors: readonly string[], pushedConnectors: readonly string[], selectiveConnectors: readonly string[]],
  { connectionId: string }
>(`
  insert into sources (tenant_id, connection_id, next_at, is_held)
  select tenant_id, id, case when kind = any($1::text[]) then now() end, kind = any($3::text[])
  from connections c
  where kind = any($1::text[] || $2::text[]) and removed_at is null
    and not exists (select 1 from sources s where s.tenant_id = c.tenant_id and s.connection_id = c.id)
  on conflict do nothing
  returning connection_id as "connectionId"`);

/**
 * A source is due by schedule, after its process died (its lease expired), after it is removed, or after its settings
 * change. A held source waits until its containers are chosen. A claimed source is due again after a minute, in case
 * its job is lost.
 */
export const claimDueSources = statement<[], { tenantId: string; connectionId: string }>(`
  update sources s
  set next_at = now() + interval '60 seconds', running_until = null
  from connections c
  where c.tenant_id = s.tenant_id and c.id = s.connection_id
    and (s.running_until is null or s.running_until < now())
    and (not s.is_held or c.settings -> 'containers' is not null or c.removed_at is not null)
    and (s.running_until < now()
         or (s.next_at <= now() and (c.paused_at is null or c.removed_at is not null))
         or (s.next_at > now() + interval '60 seconds' and c.revision is distinct from s.connection_revision)
         or (coalesce(s.next_at, 'infinity') > now() + interval '60 seconds' and c.removed_at is not null))
  returning s.tenant_id as "tenantId", s.connection_id as "connectionId"`);
