/** Connections due for verification, oldest first: after ten minutes, or two if the last one failed. [limit] */
export const dueForVerification = `
  select tenant_id as "tenantId", id from connections
  where removed_at is null and paused_at is null
    and coalesce(verified_at, created_at)
        < now() - case when status in ('failed', 'unverified') then interval '2 minutes' else interval '10 minutes' end
  order by coalesce(verified_at, created_at) limit $1`;

export const tenantsOfConnections = {
  name: 'connections-tenants',
  text: `select id, tenant_id as "tenantId" from connections where id = any($1::uuid[])`,
};
