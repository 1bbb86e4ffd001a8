import { Injectable } from '@nestjs/common';
import { type Approval, isClosed } from '../approvals/approval.entity.js';
import { ApprovalSequenceService } from '../approvals/approval-sequence.service.js';
import type { SequenceStep } from '../approvals/sequence-step.entity.js';
import { TaskGrantListingService } from '../gate/task-grant-listing.service.js';
import type { Principal } from '../principal/principal.js';
import { ReadableTasksService } from '../tasks/readable-tasks.service.js';

/** Where the call of an approval stands. */
export interface ApprovalProgress {
  /** All steps of the call, in their order. */
  steps: SequenceStep[];
  /** After an edit: the approval that the call waits for instead of this one. */
  successorId: string | null;
  /** Another approver proposed to allow further calls in the task. */
  hasProposedGrant: boolean;
  /** Unfinished tasks that wait for the open approval. */
  blockedTaskCount: number;
}

@Injectable()
export class ApprovalProgressService {
  constructor(
    private readonly sequence: ApprovalSequenceService,
    private readonly tasks: ReadableTasksService,
    private readonly taskGrants: TaskGrantListingService,
  ) {}

  /** For principals who can see the approval. */
  async load(principal: Principal, approval: Approval): Promise<ApprovalProgress> {
    const [steps, successorId, [taskGrant], blockedTaskCount] = await Promise.all([
      this.sequence.stepsOf(principal, approval),
      this.sequence.successorIdOf(principal, approval),
      this.taskGrants.findByCalls(principal, [approval.callId]),
      this.countBlockedTasks(principal, approval),
    ]);
    return { steps, successorId, hasProposedGrant: taskGrant?.state === 'proposed', blockedTaskCount };
  }

  private async countBlockedTasks(principal: Principal, { taskId, state }: Approval): Promise<number> {
    return taskId === null || isClosed(state) ? 0 : (await this.tasks.countUnfinished(principal, [taskId]))[0];
  }
}
