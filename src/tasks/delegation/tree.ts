import type { EntityManager } from 'typeorm';
import { NotSent } from '../../connections/connections.error.js';
import { newId } from '../../platform/crypto/ids.js';
import type { Principal } from '../../principal/principal.js';
import { addDelegation, lockDelegationTree } from './delegations.sql.js';
import { delegationLimits } from './limits.js';

/** A task that is handed on becomes a part of the tree of those that led to it. Throws `NotSent` where that has grown enough. */
export async function addToTree(
  tx: EntityManager,
  { tenantId }: Pick<Principal, 'tenantId'>,
  { callId, parentTaskId, isTainted }: { callId: string; parentTaskId: string | null; isTainted: boolean },
): Promise<void> {
  const { rootId, tasks, turns } = await lockDelegationTree(tx, tenantId, parentTaskId ?? callId);
  if (tasks >= delegationLimits.tasks)
    throw new NotSent(`${tasks} tasks were handed on for this one already; it may not be more.`);
  if (turns >= delegationLimits.turns)
    throw new NotSent(`The tasks that were handed on for this one took ${turns} turns already; no other is begun.`);
  await addDelegation(tx, tenantId, { callId, taskId: newId(), parentTaskId, rootId, isTainted });
}
