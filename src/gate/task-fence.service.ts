import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { type TaskCallHistoryRow, listTaskCallHistories } from './ledger.sql.js';
import type { CallLease, TaskConversation, TaskLeaseStore, TaskCallOutcome } from './task-lease-store.js';
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

  /** While a call of the task is admitted, the number of messages does not change. */
  async loadConversation(tx: Tx, tenantId: string, taskId: string): Promise<TaskConversation> {
    return (await this.loadConversations(tx, tenantId, [taskId]))(taskId);
  }

  /** Returns the conversation of each task. */
  async loadConversations(
    tx: Tx,
    tenantId: string,
    taskIds: readonly string[],
  ): Promise<(taskId: string) => TaskConversation> {
    const found = await this.leaseStore?.loadConversations(tx, tenantId, taskIds);
    return (taskId) => found?.get(taskId) ?? { messageCount: 0, isOver: false };
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
