import type { Tx } from '../../../platform/database/tx.js';

export async function tenantsWithEstateFiles(tx: Tx): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>('select distinct tenant_id as "tenantId" from estate_sources');
  return rows.map(({ tenantId }) => tenantId);
}
