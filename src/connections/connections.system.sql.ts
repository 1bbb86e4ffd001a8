import { statement } from '../platform/database/statement.js';

export interface DueConnection {
  tenantId: string;
  id: string;
}
/** Connections due for verification, oldest first: after ten minutes, or two if the last one failed. */
export const dueForVerification = statement<[limit: number], DueConnection>(`
  select tenant_id as "tenantId", id from connections
  where removed_at is null and paused_at is null
    and coalesce(verified_at, created_at)
        < now() - case when status in ('failed', 'unverified') then interval '2 minutes' else interval '10 minutes' end
  order by coalesce(verified_at, created_at) limit $1`);

export const tenantsOfConnections = statement<[ids: readonly string[]], { id: string; tenantId: string }>(
  `select id, tenant_id as "tenantId" from connections where id = any($1::uuid[])`,
  { name: 'connections-tenants' },
);
