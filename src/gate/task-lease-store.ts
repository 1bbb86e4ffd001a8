import type { Tx } from '../platform/database/tx.js';
import type { CallOutcome } from './outcome.js';

export interface CallLease {
  taskId: string;
  leaseEpoch: number;
}

export interface LeasedCall extends CallLease {
  /** The turn that requested the call, if not stored yet. */
  turn?: string;
}

export interface TaskConversation {
  /** How many messages the caller has sent. */
  messageCount: number;
  /** The task has ended. */
  isOver: boolean;
}

export interface TaskCallOutcome extends CallLease {
  ref: string;
  outcome: CallOutcome;
}

/**
 * The tasks module implements this port; it runs inside the transactions of the gate. Each call is for one tenant and
 * returns its results in the order of the input.
 */
export interface TaskLeaseStore {
  /**
   * Whether each lease is still the newest of its task. Locks it until the transaction ends, and stores the turn if
   * there is one.
   */
  acquireLeases(tx: Tx, tenantId: string, calls: readonly LeasedCall[]): Promise<boolean[]>;

  /** By the ids of the tasks. Unknown tasks are left out. */
  loadConversations(tx: Tx, tenantId: string, taskIds: readonly string[]): Promise<Map<string, TaskConversation>>;

  /** Adds outcomes to the transcripts of tasks whose lease is still the newest. */
  storeOutcomes(tx: Tx, tenantId: string, outcomes: readonly TaskCallOutcome[]): Promise<boolean[]>;
}
