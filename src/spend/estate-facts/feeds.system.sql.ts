import type { Tx } from '../../platform/database/tx.js';

export async function tenantsWithFeeds(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from spend_feeds');
  return rows.map(({ tenantId }) => tenantId);
}
