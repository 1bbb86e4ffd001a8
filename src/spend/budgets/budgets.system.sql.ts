import type { EntityManager } from 'typeorm';

export async function tenantsWithBudgets(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from spend_budgets');
  return rows.map(({ tenantId }) => tenantId);
}
