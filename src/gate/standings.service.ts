import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type TaskStanding, taskStandings } from './ledger.sql.js';
import type { ToolCall } from './tool-call.entity.js';

export interface LeaseOfCall {
  taskId: string;
  leaseEpoch: number;
}

/** Which of the leases that task calls come with are still their tasks' newest; in the order asked. */
export type Fence = (tx: EntityManager, tenantId: string, leases: readonly LeaseOfCall[]) => Promise<boolean[]>;

export type Standing = Pick<TaskStanding, 'denials' | 'sentId'>;
type TaskCall = ToolCall & LeaseOfCall;

const ofNoTask: Standing = { denials: 0, sentId: null };

/** How calls stand in their tasks. */
@Injectable()
export class Standings {
  private fence: Fence = async (_tx, _tenantId, leases) => leases.map(() => true);

  fenceBy(fence: Fence): void {
    this.fence = fence;
  }

  /** Of one tenant's calls, in their order. Null: another process has the task by now. */
  async of(tx: EntityManager, calls: readonly ToolCall[]): Promise<(Standing | null)[]> {
    const ofTasks = calls.filter((call): call is TaskCall => call.taskId !== null && call.leaseEpoch !== null);
    if (!ofTasks.length) return calls.map(() => ofNoTask);
    const [{ tenantId }] = ofTasks;
    const found = await taskStandings(tx, tenantId, ofTasks);
    const held = await this.fence(tx, tenantId, ofTasks);
    const standings = new Map<ToolCall, Standing | null>();
    for (const [nth, call] of ofTasks.entries())
      standings.set(call, held[nth] && found[nth].epoch <= call.leaseEpoch ? found[nth] : null);
    return calls.map((call) => (standings.has(call) ? standings.get(call)! : ofNoTask));
  }
}
