import type { FindOptionsWhere } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { type CallState, type ConfirmedDefinition, ToolCall } from './tool-call.entity.js';

/** What a state says about the other columns of a call. The database checks the same. */
interface StateColumns {
  requested: { executingUntil: null; endedAt: null };
  denied: { executingUntil: null; endedAt: Date; code: string; reason: string };
  awaiting_approval: { executingUntil: null; endedAt: null; definition: ConfirmedDefinition };
  approved: { executingUntil: null; endedAt: null };
  executing: { executingUntil: Date; endedAt: null; executor: string; executedAt: Date };
  succeeded: { executingUntil: null; endedAt: Date };
  failed: { executingUntil: null; endedAt: Date; code: string; reason: string };
  unsettled: { executingUntil: null; endedAt: Date; code: null; reason: string };
}

/** What changes when a call moves into one of these states. */
export type Move<To extends CallState> = {
  [One in To]: { state: One } & StateColumns[One] & Partial<Omit<ToolCall, 'state' | keyof StateColumns[One]>>;
}[To];

/** A call in one of these states. */
export type CallIn<State extends CallState> = {
  [One in State]: ToolCall & { state: One } & StateColumns[One];
}[State];

/** A call of the ledger. Its state determines which of its columns are set. */
export type LedgerCall = CallIn<CallState>;

export const isCallIn = <State extends CallState>(
  call: LedgerCall,
  ...states: State[]
): call is Extract<LedgerCall, { state: State }> => (states as CallState[]).includes(call.state);

export const findCall = (tx: Tx, where: FindOptionsWhere<ToolCall>): Promise<LedgerCall | null> =>
  tx.findOneBy(ToolCall, where) as Promise<LedgerCall | null>;

export const findCalls = (tx: Tx, where: FindOptionsWhere<ToolCall>): Promise<LedgerCall[]> =>
  tx.findBy(ToolCall, where) as Promise<LedgerCall[]>;

export const findCallIn = <State extends CallState>(
  tx: Tx,
  where: FindOptionsWhere<ToolCall>,
  state: State,
): Promise<CallIn<State> | null> =>
  tx.findOneBy(ToolCall, { ...where, state } as FindOptionsWhere<ToolCall>) as Promise<CallIn<State> | null>;

/** How an attempt ended. */
export type AttemptEnd = (
  | { state: 'succeeded'; code: null; reason: null }
  | { state: 'failed'; code: string; reason: string }
  | { state: 'unsettled'; code: null; reason: string }
) & { isForeign: boolean };
