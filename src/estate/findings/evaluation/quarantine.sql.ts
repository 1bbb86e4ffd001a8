/** $1 tenant, $2 files, $3 their problems. Removes all of their content. */
export const quarantineFiles = `
  update estate_files set status = 'quarantined', problems = $3, entry_count = 0 where tenant_id = $1 and id = any($2::uuid[])
  returning id, path, digest`;

/** $1 tenant, $2 files, $3 problems */
export const quarantineVersions = `
  update estate_versions v set status = 'quarantined', problems = $3, entries = '[]'
  from estate_files f
  where f.tenant_id = $1 and f.id = any($2::uuid[]) and v.tenant_id = $1 and v.file_id = f.id and v.number = f.version`;

/** $1 tenant, $2 files. Deletes their findings too, by cascade. */
export const deleteEntries = `
  delete from estate_entries where tenant_id = $1 and file_id = any($2::uuid[]) returning server_id as "serverId"`;

/** $1 tenant, $2 servers. Waits for transactions that write entries of these servers. */
export const lockServersOf = `
  select id from estate_servers where tenant_id = $1 and id = any($2::uuid[]) order by id for update`;

/** $1 tenant, $2 servers that may have lost their last entry */
export const retireServers = `
  update estate_servers s set gone_at = now()
  where s.tenant_id = $1 and s.id = any($2::uuid[]) and s.gone_at is null
    and not exists (select from estate_entries e where e.tenant_id = $1 and e.server_id = s.id and e.gone_at is null)`;
