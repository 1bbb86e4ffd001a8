import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Approver, MembersService } from '../access/members.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { Approval } from './approval.entity.js';
import { mayDecide } from './tier.js';

/**
 * Who answers for the calls today, in the order of these approvals of one tenant: somebody may have revealed a key of an agent
 * since it asked.
 */
export type RequestersSource = (tx: EntityManager, approvals: readonly Approval[]) => Promise<string[][]>;
/** Why the call would not run as asked any more, or null. */
export type Reviewer = (tx: EntityManager, approval: Approval) => Promise<string | null>;

/** Who may decide on an approval, and whether there is still the same to decide. */
@Injectable()
export class Eligibility {
  private requestersNow: RequestersSource = async (_tx, approvals) => approvals.map(() => []);
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
    return (await this.decidersOfEach(tx, [approval]))[0];
  }

  /** Of approvals of one tenant; in their order. */
  async decidersOfEach(tx: EntityManager, approvals: readonly Approval[]): Promise<string[][]> {
    const [{ tenantId }] = approvals;
    const answering = approvals.flatMap(({ answerableId }) => answerableId ?? []);
    const active = await this.members.activeAmong(tx, tenantId, answering);
    const letIn = await this.members.letIn(tx, tenantId);
    const isAlone = (await this.members.countActive(tx, tenantId)) === 1;
    const requestersNow = await this.requestersNow(tx, approvals);
    const approvers = await this.approversByGroup(tx, tenantId, approvals);
    return approvals.map(({ tier, byAgent, answerableId, approverGroupId, requesters: then, createdAt }, nth) => {
      const asked = [...then, ...requestersNow[nth]];
      const requesters = [...asked, ...letIn.perhapsOneWith(asked, ['reset'])];
      return mayDecide({
        tier,
        byAgent,
        answerableId: answerableId !== null && active.has(answerableId) ? answerableId : null,
        requesters,
        invited: letIn.perhapsOneWith(requesters, ['reset', 'invitation']),
        approvers: approvers.get(approverGroupId)!.flatMap(({ id, since }) => (since < createdAt ? [id] : [])),
        isAlone,
      });
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

  private async approversByGroup(tx: EntityManager, tenantId: string, approvals: readonly Approval[]) {
    const found = new Map<string | null, Approver[]>();
    for (const groupId of new Set(approvals.map(({ approverGroupId }) => approverGroupId)))
      found.set(groupId, await this.members.approvers(tx, tenantId, groupId));
    return found;
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
