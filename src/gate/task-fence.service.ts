import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { type TaskCallHistoryRow, listTaskCallHistories } from './ledger.sql.js';
import type { CallLease, TaskLeaseStore, TaskCallOutcome } from './task-lease-store.js';
import type { ToolCall } from './tool-call.entity.js';

export type TaskCallHistory = Pick<TaskCallHistoryRow, 'denials' | 'sentId'>;

/** `turn`: the turn of the task, to be stored with the call. */
export interface IncomingCall {
  call: ToolCall;
  turn?: string;
}

const noTaskHistory: TaskCallHistory = { denials: 0, sentId: null };

/** Fences calls by the leases of their tasks: a process that lost a task cannot make calls for it. */
@Injectable()
export class TaskFence {
  private leaseStore?: TaskLeaseStore;

  registerStore(store: TaskLeaseStore): void {
    this.leaseStore = store;
  }

  /** For calls of one tenant, in their order. Null: another process has taken over the task. */
  async acquire(tx: Tx, incoming: readonly IncomingCall[]): Promise<(TaskCallHistory | null)[]> {
    const ofTasks = incoming.filter(isOfTask);
    if (!ofTasks.length) return incoming.map(() => noTaskHistory);
    const calls = ofTasks.map(({ call }) => call);
    const [{ tenantId }] = calls;
    const found = await listTaskCallHistories(tx, tenantId, calls);
    const leases = ofTasks.map(({ call: { taskId, leaseEpoch }, turn }) => ({ taskId, leaseEpoch, turn }));
    const held = await this.leaseStore?.acquireLeases(tx, tenantId, leases);
    const histories = new Map<ToolCall, TaskCallHistory | null>();
    for (const [nth, call] of calls.entries())
      histories.set(call, held?.[nth] !== false && found[nth].epoch <= call.leaseEpoch ? found[nth] : null);
    return incoming.map(({ call }) => (histories.has(call) ? histories.get(call)! : noTaskHistory));
  }

  /** How many messages the caller of the task has sent. While a call of the task is admitted, the number does not change. */
  async countMessages(tx: Tx, tenantId: string, taskId: string): Promise<number> {
    return (await this.countMessagesOf(tx, tenantId, [taskId])).get(taskId) ?? 0;
  }

  async countMessagesOf(tx: Tx, tenantId: string, taskIds: readonly string[]): Promise<Map<string, number>> {
    return (await this.leaseStore?.countMessages(tx, tenantId, taskIds)) ?? new Map<string, number>();
  }

  /** Returns the outcomes that were added to the transcripts of their tasks. */
  async storeOutcomes(tx: Tx, tenantId: string, outcomes: readonly TaskCallOutcome[]): Promise<TaskCallOutcome[]> {
    if (!outcomes.length || !this.leaseStore) return [];
    const stored = await this.leaseStore.storeOutcomes(tx, tenantId, outcomes);
    return outcomes.filter((_, nth) => stored[nth]);
  }
}

const isOfTask = (incoming: IncomingCall): incoming is IncomingCall & { call: CallLease } =>
  incoming.call.taskId !== null && incoming.call.leaseEpoch !== null;
