import type { EntityManager } from 'typeorm';

export async function tenantsWithFeeds(tx: EntityManager): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from spend_feeds');
  return rows.map(({ tenantId }) => tenantId);
}
