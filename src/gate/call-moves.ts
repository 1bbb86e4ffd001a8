import type { Tx } from '../platform/database/tx.js';
import type { EditedColumns } from './call-evaluation.service.js';
import type { AttemptEnd, CallIn, LedgerCall, Move } from './call-state.js';
import { claimCall } from './ledger.sql.js';
import { type CallState, type ConfirmedDefinition, type Settlement, ToolCall } from './tool-call.entity.js';

/*
 * The moves of a call from one state to another. No other code writes the state. A stored call moves by one conditional
 * statement: the result is null, and nothing changes, if another process has moved it since it was read.
 */

function moveTo<To extends CallState>(call: ToolCall, move: Move<To>): CallIn<To> {
  return Object.assign(call, move) as unknown as CallIn<To>;
}

async function moveStored<To extends CallState>(tx: Tx, call: LedgerCall, move: Move<To>): Promise<CallIn<To> | null> {
  const { tenantId, id, state, attempts } = call;
  const { affected } = await tx.update(ToolCall, { tenantId, id, state, attempts }, move as Partial<ToolCall>);
  return affected === 1 ? moveTo(call, move) : null;
}

interface Attempt {
  executor: string;
  at: Date;
  until: Date;
}
export const startNewCall = (call: CallIn<'requested'>, { executor, at, until }: Attempt): CallIn<'executing'> =>
  moveTo(call, { state: 'executing', attempts: 1, executor, executedAt: at, executingUntil: until, endedAt: null });

export const holdNewCall = (call: CallIn<'requested'>, definition: ConfirmedDefinition): CallIn<'awaiting_approval'> =>
  moveTo(call, { state: 'awaiting_approval', definition, executingUntil: null, endedAt: null });

export const denyNewCall = (
  call: CallIn<'requested'>,
  { code, reason }: { code: string; reason: string },
  at: Date,
): CallIn<'denied'> =>
  moveTo(call, { state: 'denied', code, reason, executingUntil: null, endedAt: at, deliveredAt: at });

export const approveCall = (
  tx: Tx,
  call: CallIn<'awaiting_approval'>,
  { expiresAt, isOverridden }: Pick<ToolCall, 'isOverridden'> & { expiresAt: Date },
): Promise<CallIn<'approved'> | null> =>
  moveStored(tx, call, { state: 'approved', expiresAt, isOverridden, executingUntil: null, endedAt: null });

/** Other arguments for a call that nobody has approved yet. */
export const editCall = (
  tx: Tx,
  call: CallIn<'awaiting_approval'>,
  { saltedHash, ...columns }: EditedColumns & Pick<ToolCall, 'editedBy'>,
): Promise<CallIn<'awaiting_approval'> | null> => {
  const { definition } = call;
  call.saltedHash = saltedHash;
  return moveStored(tx, call, {
    ...columns,
    definition,
    state: 'awaiting_approval',
    executingUntil: null,
    endedAt: null,
  });
};

export interface Denial extends Partial<Pick<ToolCall, 'retryKey' | 'deliveredAt'>> {
  code: string;
  reason: string;
}
export const denyCall = (tx: Tx, call: LedgerCall, denial: Denial): Promise<CallIn<'denied'> | null> =>
  moveStored(tx, call, { state: 'denied', ...denial, executingUntil: null, endedAt: new Date() });

/** The call was sent, and nobody knows whether it took effect. */
export const declareUnsettled = (tx: Tx, call: LedgerCall, reason: string): Promise<CallIn<'unsettled'> | null> =>
  moveStored(tx, call, {
    state: 'unsettled',
    code: null,
    reason,
    executingUntil: null,
    endedAt: new Date(),
    expiresAt: null,
  });

/** A lost attempt of a read that was approved: it may run again. */
export const requeueCall = (tx: Tx, call: CallIn<'executing'>): Promise<CallIn<'approved'> | null> =>
  moveStored(tx, call, { state: 'approved', executingUntil: null, endedAt: null });

/** How a person resolves an unknown outcome. A rerun is decided like a new call. */
export type Resolution = Move<'succeeded' | 'failed' | 'approved' | 'awaiting_approval'>;
export const resolveCall = (
  tx: Tx,
  call: CallIn<'unsettled'>,
  resolution: Resolution,
  by: { settlement: Settlement; settledBy: string },
): Promise<CallIn<Resolution['state']> | null> =>
  moveStored(tx, call, { ...resolution, ...by, deliveredAt: null } as Resolution);

/** The statement that records the ends of a batch is in `ledger.sql.ts`. */
export const endAttempt = (
  call: CallIn<'executing'>,
  { state, code, reason, isForeign }: AttemptEnd,
  endedAt: Date,
): CallIn<AttemptEnd['state']> =>
  moveTo(call, { state, code, reason, isForeign, executingUntil: null, endedAt } as Move<AttemptEnd['state']>);

interface ApprovedAttempt {
  executor: string;
  seconds: number;
  /** Null: the call runs outside a task, so no other lease can take it over. */
  leaseEpoch: number | null;
  /** The current effect of the tool, which decides whether a lost call is run again. */
  effect: string;
}
/** Single use: of any number of concurrent starts, one succeeds. */
export async function startApprovedCall(
  tx: Tx,
  call: LedgerCall,
  { executor, seconds, leaseEpoch, effect }: ApprovedAttempt,
): Promise<CallIn<'executing'> | null> {
  const claimed = await tx.one(claimCall, [call.tenantId, call.id, executor, seconds, leaseEpoch, effect]);
  if (!claimed) return null;
  return moveTo(call, { state: 'executing', ...claimed, executor, effect, leaseEpoch, endedAt: null });
}
