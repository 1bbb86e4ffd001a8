/** $1 tenant, $2 last id of the previous page or null, $3 limit. Newest first. */
export const listApproved = `
  with listed as (select * from estate_approved where tenant_id = $1 and withdrawn_at is null)
  select a.id, a.kind, a.value, a.server_id as "serverId", s.name as "serverName", a.note, a.approved_by as "approvedBy",
         m.name as "approvedByName", a.approved_at as "approvedAt", (select count(*)::int from listed) as total
  from listed a left join estate_servers s on s.tenant_id = a.tenant_id and s.id = a.server_id
  left join members m on m.tenant_id = a.tenant_id and m.id = a.approved_by
  where $2::uuid is null or a.id < $2
  order by a.id desc limit $3`;

/** $1 tenant, $2 id */
export const findApproved = `
  select a.id, a.kind, a.value, a.server_id as "serverId", s.name as "serverName", a.note, a.approved_by as "approvedBy",
         m.name as "approvedByName", a.approved_at as "approvedAt"
  from estate_approved a left join estate_servers s on s.tenant_id = a.tenant_id and s.id = a.server_id
  left join members m on m.tenant_id = a.tenant_id and m.id = a.approved_by
  where a.tenant_id = $1 and a.id = $2`;

/** $1 tenant, $2 id, $3 kind, $4 value, $5 server or null, $6 note, $7 member or null. No row: already approved. */
export const insertApproved = `
  insert into estate_approved (tenant_id, id, kind, value, server_id, note, approved_by, approved_at)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (tenant_id, kind, value) where withdrawn_at is null do nothing
  returning id`;

/** $1 tenant, $2 id */
export const revokeApproved = `
  update estate_approved set withdrawn_at = now() where tenant_id = $1 and id = $2 and withdrawn_at is null
  returning kind, value`;

/** $1 tenant, $2 entry. The current definition. */
export const findEntryDefinition =
  'select server_id as "serverId", definition_hash as hash, name from estate_entries where tenant_id = $1 and id = $2';
