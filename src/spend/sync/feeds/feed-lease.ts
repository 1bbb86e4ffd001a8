import type { Tx } from '../../../platform/database/tx.js';
import type { Principal } from '../../../principal/principal.js';
import { lockHeldLease } from './feeds.sql.js';

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

/** The first statement of every transaction of a sync: no other process can claim the lease until it ends. */
export async function requireLease(tx: Tx, { principal, connectionId, epoch }: FeedLease): Promise<void> {
  const held = await tx.execute(lockHeldLease, [principal.tenantId, connectionId, epoch]);
  if (!held) throw new FeedLeaseLost();
}
