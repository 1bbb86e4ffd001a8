const columns = `
  id, connection_id as "connectionId", external_id as "externalId", digest, size, reason, quarantined_at as "quarantinedAt"`;

/** $1 tenant, $2 connection */
export const listQuarantined = `
  select ${columns} from knowledge_quarantine where tenant_id = $1 and connection_id = $2 order by external_id`;

/** $1 tenant, $2 id */
export const findQuarantined = `select ${columns} from knowledge_quarantine where tenant_id = $1 and id = $2`;

/** $1 tenant, $2 id, $3 connection, $4 name, $5 digest, $6 size, $7 reason */
export const upsertQuarantined = `
  insert into knowledge_quarantine (tenant_id, id, connection_id, external_id, digest, size, reason, quarantined_at)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (tenant_id, id) do update
  set digest = excluded.digest, size = excluded.size, reason = excluded.reason, quarantined_at = excluded.quarantined_at`;

/** $1 tenant, $2 ids */
export const deleteQuarantined = `
  delete from knowledge_quarantine where tenant_id = $1 and id = any($2::uuid[])
  returning ${columns}`;

/** $1 tenant, $2 connection */
export const deleteAllQuarantined = 'delete from knowledge_quarantine where tenant_id = $1 and connection_id = $2';
