import type { Tx } from '../platform/database/tx.js';
import { Approval } from './approval.entity.js';

/** A rerun or an edit of a call starts another round. 0: no approval of the call was requested. */
export const lastRoundOf = async (tx: Tx, tenantId: string, callId: string): Promise<number> =>
  (await tx.maximum(Approval, 'round', { tenantId, callId })) ?? 0;

/** The approvals that count for a call, in the order of the steps. */
export async function listLastRound(tx: Tx, tenantId: string, callId: string): Promise<Approval[]> {
  const round = await lastRoundOf(tx, tenantId, callId);
  return tx.find(Approval, {
    where: { tenantId, callId, round },
    order: { stepNumber: 'ASC', createdAt: 'ASC', id: 'ASC' },
  });
}
