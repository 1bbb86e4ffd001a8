import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';

/** The exclusive right of one process to sync one connection. */
export interface FeedLease {
  principal: Principal;
  connectionId: string;
  epoch: number;
}

/**
 * Another process holds the lease, or the connection was paused or removed. This process must not write anything more.
 */
export class FeedLeaseLost extends Error {}

const lockHeldLease = `
  select 1 from spend_feeds f
  join connections c on c.tenant_id = f.tenant_id and c.id = f.connection_id and c.paused_at is null and c.removed_at is null
  where f.tenant_id = $1 and f.connection_id = $2 and f.lease_epoch = $3 for no key update of f`;

/** The first statement of every transaction of a sync: no other process can claim the lease until it ends. */
export async function requireLease(tx: Tx, { principal, connectionId, epoch }: FeedLease): Promise<void> {
  const rows = await tx.query<unknown[]>(lockHeldLease, [principal.tenantId, connectionId, epoch]);
  if (!rows.length) throw new FeedLeaseLost();
}
