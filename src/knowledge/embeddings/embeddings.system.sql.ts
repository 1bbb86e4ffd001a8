import { statement } from '../../platform/database/statement.js';

/** Finds the organizations that have connected an embedding model. */
export const listTenantsWithEmbeddings = statement<[connector: string], { tenantId: string }>(`
  select distinct tenant_id as "tenantId" from connections
  where kind = $1 and removed_at is null and paused_at is null`);
