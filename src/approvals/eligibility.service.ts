import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { Approval } from './approval.entity.js';
import { mayDecide } from './tier.js';

/** Who answers for the call today: somebody may have revealed a key of its agent since it was asked for. */
export type RequestersSource = (tx: EntityManager, approval: Approval) => Promise<string[]>;
/** Why the call would not run as asked any more, or null. */
export type Reviewer = (tx: EntityManager, approval: Approval) => Promise<string | null>;

/** Who may decide on an approval, and whether there is still the same to decide. */
@Injectable()
export class Eligibility {
  private requestersNow: RequestersSource = async () => [];
  private reviewer: Reviewer = async () => null;

  constructor(
    private readonly members: MembersService,
    private readonly steps: ApprovalStepsService,
  ) {}

  consult(requestersNow: RequestersSource, reviewer: Reviewer): void {
    this.requestersNow = requestersNow;
    this.reviewer = reviewer;
  }

  async deciders(tx: EntityManager, approval: Approval): Promise<string[]> {
    const { tenantId, tier, byAgent, answerableId, approverGroupId: groupId, createdAt: before } = approval;
    const isAnswering = answerableId !== null && (await this.members.isActive(approval, answerableId, tx));
    return mayDecide({
      tier,
      byAgent,
      answerableId: isAnswering ? answerableId : null,
      requesters: [...approval.requesters, ...(await this.requestersNow(tx, approval))],
      approvers: await this.members.eligibleApprovers(tx, { tenantId, groupId, before }),
      isAlone: (await this.members.countActive(tx, tenantId)) === 1,
    });
  }

  /** Why what waits is not what would be asked for now, or null. */
  async change(tx: EntityManager, approval: Approval): Promise<string | null> {
    return (await this.stepChange(tx, approval)) ?? (await this.reviewer(tx, approval));
  }

  /** Why a vote does not count any more, or null. */
  async lapse(tx: EntityManager, approval: Approval): Promise<string | null> {
    const changed = await this.stepChange(tx, approval);
    if (changed) return changed;
    const counts = (await this.deciders(tx, approval)).includes(approval.decidedBy!);
    return counts ? null : 'Whoever approved may not decide on this call any more.';
  }

  private async stepChange(
    tx: EntityManager,
    { tenantId, stepName, tier, approverGroupId }: Approval,
  ): Promise<string | null> {
    const step = await this.steps.find(tx, tenantId, stepName);
    const isSame = step?.tier === tier && step.approverGroupId === approverGroupId;
    return isSame ? null : `The approval step "${stepName}" was changed.`;
  }
}
