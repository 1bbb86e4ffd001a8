import { statement } from '../../platform/database/statement.js';

/** Finds the organizations that have an embedding model, or still have vectors of a removed one. */
export const listTenantsWithEmbeddings = statement<[connector: string], { tenantId: string }>(`
  select distinct c.tenant_id as "tenantId" from connections c
  where c.kind = $1 and case
    when c.removed_at is null then c.paused_at is null
    else exists (select 1 from embedding_spaces s where s.tenant_id = c.tenant_id and s.connection_id = c.id) end`);
