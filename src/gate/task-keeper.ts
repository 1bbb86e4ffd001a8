import type { EntityManager } from 'typeorm';
import type { CallOutcome } from './outcome.js';

export interface LeaseOfCall {
  taskId: string;
  leaseEpoch: number;
}

export interface HeldCall extends LeaseOfCall {
  /** The turn that asked for the call, where it is not kept yet. */
  turn?: string;
}

export interface TaskOutcome extends LeaseOfCall {
  ref: string;
  outcome: CallOutcome;
}

/** What the room of the tasks does inside the gate's transactions. Of one tenant; answers in the order asked. */
export interface TaskKeeper {
  /** Whether each lease is still its task's newest. It stays so until the transaction ends; and the turn is kept, where it comes along. */
  hold(tx: EntityManager, tenantId: string, calls: readonly HeldCall[]): Promise<boolean[]>;

  /** Adds outcomes to the transcripts, where the lease is still the newest. */
  keep(tx: EntityManager, tenantId: string, outcomes: readonly TaskOutcome[]): Promise<boolean[]>;
}
