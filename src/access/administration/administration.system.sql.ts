import { statement } from '../../platform/database/statement.js';

/** Open changes whose time is over, of all tenants. */
export const expiredChanges = statement<[limit: number], { tenantId: string; id: string }>(`
  select tenant_id as "tenantId", id from proposed_changes where state = 'open' and expires_at <= now()
  order by expires_at limit $1`);
