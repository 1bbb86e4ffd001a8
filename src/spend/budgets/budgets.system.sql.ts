import type { Tx } from '../../platform/database/tx.js';

export async function tenantsWithBudgets(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from spend_budgets');
  return rows.map(({ tenantId }) => tenantId);
}
