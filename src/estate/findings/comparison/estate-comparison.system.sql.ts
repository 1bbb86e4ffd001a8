import type { EntityManager } from 'typeorm';

export async function tenantsWithEstateFiles(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from estate_sources');
  return rows.map(({ tenantId }) => tenantId);
}
