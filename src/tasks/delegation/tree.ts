import { NotSent } from '../../connections/connections.error.js';
import { newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { addDelegation, lockDelegationTree } from '../delegations.sql.js';
import { delegationLimits } from './limits.js';

/** Adds a delegated task to its delegation tree. Throws `NotSent` if the tree has reached a limit. */
export async function addToTree(
  tx: Tx,
  { tenantId }: Pick<Principal, 'tenantId'>,
  { callId, parentTaskId, isTainted }: { callId: string; parentTaskId: string | null; isTainted: boolean },
): Promise<void> {
  const { rootId, tasks, turns } = await lockDelegationTree(tx, tenantId, parentTaskId ?? callId);
  if (tasks >= delegationLimits.tasks)
    throw new NotSent(`This task has already led to ${tasks} delegated tasks, which is the limit.`);
  if (turns >= delegationLimits.turns)
    throw new NotSent(`The tasks delegated for this task have already taken ${turns} turns. No more can be delegated.`);
  await tx.execute(addDelegation, [tenantId, callId, newId(), parentTaskId, rootId, isTainted]);
}
