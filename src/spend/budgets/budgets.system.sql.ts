import type { EntityManager } from 'typeorm';

/** Organizations that have budgets to look after. */
export async function tenantsWithBudgets(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from spend_budgets');
  return rows.map(({ tenantId }) => tenantId);
}
