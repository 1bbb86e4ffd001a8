import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../usage-row.js';

/** Tenants with outdated rollups: people moved, or a tally can be added. */
export async function tenantsWithOutdatedRollups(tx: Tx, lastTally: Day): Promise<string[]> {
  const rows = await tx.query<{ tenantId: string }[]>(
    `select tenant_id as "tenantId" from spend_stale_units
     union select tenant_id from spend_tally_marks where settled_day is null or settled_day < $1`,
    [lastTally],
  );
  return rows.map(({ tenantId }) => tenantId);
}
