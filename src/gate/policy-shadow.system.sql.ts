import { statement } from '../platform/database/statement.js';

/** Across tenants: the shadows that run. */
export const runningShadows = statement<[], { tenantId: string; configurationId: string }>(`
  select tenant_id as "tenantId", configuration_id as "configurationId" from policy_shadows
  where stopped_at is null order by evaluated_until limit 1000`);
