import { statement } from '../../../platform/database/statement.js';

/** Removes all of their content. `problems`: JSON. */
export const quarantineFiles = statement<
  [tenantId: string, ids: readonly string[], problems: string],
  { id: string; path: string; digest: string }
>(`
  update estate_files set status = 'quarantined', problems = $3, entry_count = 0 where tenant_id = $1 and id = any($2::uuid[])
  returning id, path, digest`);

/** Their current versions. `problems`: JSON. */
export const quarantineVersions = statement<[tenantId: string, fileIds: readonly string[], problems: string]>(`
  update estate_versions v set status = 'quarantined', problems = $3, entries = '[]'
  from estate_files f
  where f.tenant_id = $1 and f.id = any($2::uuid[]) and v.tenant_id = $1 and v.file_id = f.id and v.number = f.version`);

/** Deletes their findings too, by cascade. */
export const deleteEntries = statement<[tenantId: string, fileIds: readonly string[]], { serverId: string }>(`
  delete from estate_entries where tenant_id = $1 and file_id = any($2::uuid[]) returning server_id as "serverId"`);

/** Waits for transactions that write entries of these servers. */
export const lockServersOf = statement<[tenantId: string, ids: readonly string[]], { id: string }>(`
  select id from estate_servers where tenant_id = $1 and id = any($2::uuid[]) order by id for update`);

/** Retires those that have lost their last entry. */
export const retireServers = statement<[tenantId: string, ids: readonly string[]]>(`
  update estate_servers s set gone_at = now()
  where s.tenant_id = $1 and s.id = any($2::uuid[]) and s.gone_at is null
    and not exists (select from estate_entries e where e.tenant_id = $1 and e.server_id = s.id and e.gone_at is null)`);
