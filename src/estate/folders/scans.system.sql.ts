import { statement } from '../../platform/database/statement.js';

/* Due folder scans, across organizations. */

/** Connected folders without a source. */
export const listNewFolders = statement<[], { tenantId: string; connectionId: string; name: string }>(`
  select c.tenant_id as "tenantId", c.id as "connectionId", c.name from connections c
  where c.kind = 'folder' and c.removed_at is null
    and not exists (select from estate_sources s where s.tenant_id = c.tenant_id and s.connection_id = c.id)
  limit 1000`);

export const insertFolderSource = statement<[tenantId: string, id: string, connectionId: string, name: string]>(`
  insert into estate_sources
    (tenant_id, id, kind, key, name, connection_id, first_seen, next_at, failures, problems, problem_count)
  values ($1, $2, 'folder', $3::text, $4, $3::uuid, now(), now(), 0, '[]', 0)
  on conflict do nothing`);

/**
 * Folders that are due, whose process died, or whose connection was changed or removed. A claimed folder is due again
 * after a minute, in case the job is lost.
 */
export const claimDueFolders = statement<[], { tenantId: string; sourceId: string }>(`
  update estate_sources s
  set next_at = now() + interval '60 seconds', running_until = null
  from connections c
  where c.tenant_id = s.tenant_id and c.id = s.connection_id and s.kind = 'folder'
    and (s.running_until is null or s.running_until < now())
    and (s.running_until < now()
         or (s.next_at <= now() and (c.paused_at is null or c.removed_at is not null))
         or (s.next_at > now() + interval '60 seconds' and c.removed_at is null
             and c.revision is distinct from s.connection_revision)
         or (s.next_at > now() + interval '60 seconds' and c.removed_at is not null))
  returning s.tenant_id as "tenantId", s.id as "sourceId"`);
