import { newId } from '../platform/crypto/ids.js';
import { statement, type StatementRunner } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import type { ItemRow } from './task-items.sql.js';
import type { TaskStatus, WaitReason } from './task.entity.js';

/* The writes of a runner that holds the lease of a task. The function is in sql/advance.sql. */

export interface Advance {
  items: ItemRow[];
  turns?: number;
  isTainted?: boolean;
  /** `keep` and `go on` keep the lease, the others release it. `keep` and `retry` do not change the task. */
  step: 'keep' | 'go on' | 'wait' | 'end' | 'retry';
  status?: TaskStatus;
  /** Published together with the unchanged status. */
  chunk?: ArtifactChunk;
  artifacts?: Artifact[];
  waiting?: WaitReason;
  /** Time until the task may be claimed again; absent: it waits for an event. */
  dueSeconds?: number;
  /** Part of the time since the claim that does not count as work. */
  unworkedMs?: number;
  /** Who ended the task, for the audit log */
  actor?: object;
}
export interface TaskAdvance {
  tenantId: string;
  id: string;
  leaseEpoch: number;
  advance: Advance;
}
/** `isApplied` is false if the task was woken before its wait was stored: it continues instead. */
export interface AdvanceResult {
  isApplied: boolean;
  number: number;
}

export const storeAdvances = statement<[tenantId: string, advances: string], AdvanceResult & { nth: number }>(
  'select nth, is_applied as "isApplied", number from tasks_advance($1, $2)',
  { name: 'tasks-advance' },
);

/** Advances one tenant's tasks; results in the same order. Null: the lease was lost, and nothing was written. */
export async function advanceTasks(
  runner: StatementRunner,
  tenantId: string,
  advances: readonly TaskAdvance[],
): Promise<(AdvanceResult | null)[]> {
  const given = advances.map(({ id, leaseEpoch, advance }, nth) => ({
    nth,
    task: id,
    epoch: leaseEpoch,
    items: advance.items,
    turns: advance.turns ?? 0,
    tainted: advance.isTainted ?? false,
    step: advance.step,
    status: advance.status,
    chunk: advance.chunk,
    artifacts: advance.artifacts,
    waiting: advance.waiting,
    due: advance.dueSeconds,
    unworked: advance.unworkedMs ?? 0,
    audit: newId(),
    actor: advance.actor,
  }));
  const rows = await runner.run(storeAdvances, [tenantId, JSON.stringify(given)]);
  const done: (AdvanceResult | null)[] = advances.map(() => null);
  for (const { nth, ...result } of rows) done[nth] = result;
  return done;
}

export const lockLeasedTasks = statement<[tenantId: string, ids: readonly string[]], { id: string; epoch: number }>(
  `select id, lease_epoch as epoch from tasks where tenant_id = $1 and id = any ($2) and due_at is not null
   order by id for key share`,
  { name: 'tasks-fence' },
);

/**
 * The fence of the gate: returns which leases are still the newest of their tasks. They stay so until the transaction
 * ends, because a claim and a cancellation need an exclusive row lock. A renewal is not blocked.
 */
export async function lockLeases(
  tx: Tx,
  tenantId: string,
  leases: readonly { taskId: string; leaseEpoch: number }[],
): Promise<boolean[]> {
  const ids = leases.map(({ taskId }) => taskId);
  const epochs = new Map((await tx.run(lockLeasedTasks, [tenantId, ids])).map(({ id, epoch }) => [id, epoch]));
  return leases.map(({ taskId, leaseEpoch }) => epochs.get(taskId) === leaseEpoch);
}
