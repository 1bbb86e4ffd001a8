import type { EntityManager } from 'typeorm';
import type { CallOutcome } from './outcome.js';

export interface CallLease {
  taskId: string;
  leaseEpoch: number;
}

export interface LeasedCall extends CallLease {
  /** The turn that asked for the call, where it is not kept yet. */
  turn?: string;
}

export interface TaskCallOutcome extends CallLease {
  ref: string;
  outcome: CallOutcome;
}

/** What the room of the tasks does inside the gate's transactions. Of one tenant; answers in the order asked. */
export interface TaskLeaseStore {
  /** Whether each lease is still its task's newest. It stays so until the transaction ends; and the turn is kept, where it comes along. */
  acquireLeases(tx: EntityManager, tenantId: string, calls: readonly LeasedCall[]): Promise<boolean[]>;

  /** Adds outcomes to the transcripts, where the lease is still the newest. */
  storeOutcomes(tx: EntityManager, tenantId: string, outcomes: readonly TaskCallOutcome[]): Promise<boolean[]>;
}
