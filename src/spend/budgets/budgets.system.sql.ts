import { statement } from '../../platform/database/statement.js';

export const tenantsWithBudgets = statement<[], { tenantId: string }>(
  `select distinct tenant_id as "tenantId" from spend_budgets`,
);
