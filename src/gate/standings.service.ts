import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type TaskStanding, taskStandings } from './ledger.sql.js';
import type { LeaseOfCall, TaskKeeper, TaskOutcome } from './task-keeper.js';
import type { ToolCall } from './tool-call.entity.js';

export type Standing = Pick<TaskStanding, 'denials' | 'sentId'>;

/** A call as it comes in; `turn`: its task's, to be kept with it. */
export interface Incoming {
  call: ToolCall;
  turn?: string;
}

const ofNoTask: Standing = { denials: 0, sentId: null };

/** How calls stand in their tasks. */
@Injectable()
export class Standings {
  private keeper?: TaskKeeper;

  keepBy(keeper: TaskKeeper): void {
    this.keeper = keeper;
  }

  /** Of one tenant's calls, in their order. Null: another process has the task by now. */
  async of(tx: EntityManager, incoming: readonly Incoming[]): Promise<(Standing | null)[]> {
    const ofTasks = incoming.filter(isOfTask);
    if (!ofTasks.length) return incoming.map(() => ofNoTask);
    const calls = ofTasks.map(({ call }) => call);
    const [{ tenantId }] = calls;
    const found = await taskStandings(tx, tenantId, calls);
    const leases = ofTasks.map(({ call: { taskId, leaseEpoch }, turn }) => ({ taskId, leaseEpoch, turn }));
    const held = await this.keeper?.hold(tx, tenantId, leases);
    const standings = new Map<ToolCall, Standing | null>();
    for (const [nth, call] of calls.entries())
      standings.set(call, held?.[nth] !== false && found[nth].epoch <= call.leaseEpoch ? found[nth] : null);
    return incoming.map(({ call }) => (standings.has(call) ? standings.get(call)! : ofNoTask));
  }

  /** Which of them are part of their tasks' transcripts from now on. */
  async keep(tx: EntityManager, tenantId: string, outcomes: readonly TaskOutcome[]): Promise<TaskOutcome[]> {
    if (!outcomes.length || !this.keeper) return [];
    const kept = await this.keeper.keep(tx, tenantId, outcomes);
    return outcomes.filter((_, nth) => kept[nth]);
  }
}

const isOfTask = (incoming: Incoming): incoming is Incoming & { call: LeaseOfCall } =>
  incoming.call.taskId !== null && incoming.call.leaseEpoch !== null;
