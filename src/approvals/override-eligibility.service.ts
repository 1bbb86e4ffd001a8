import { Injectable } from '@nestjs/common';
import { IndependenceService } from '../access/independence/independence.service.js';
import { MembersService } from '../access/members.service.js';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { ApprovalOverride } from './approval-override.entity.js';
import type { Approval } from './approval.entity.js';
import { BreakGlassRight } from './break-glass-right.entity.js';

/** Determines who can override a pending approval, and who can review that afterwards. */
@Injectable()
export class OverrideEligibilityService {
  constructor(
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly approvalEligibility: ApprovalEligibilityService,
  ) {}

  /**
   * Why this member cannot override the approval, or null. Stricter than a review: the setting for introduced members
   * does not apply.
   */
  async findRefusal(tx: Tx, approval: Approval, memberId: string): Promise<string | null> {
    const { tenantId, createdAt } = approval;
    const right = await tx.findOneBy(BreakGlassRight, { tenantId, memberId });
    const isActive = (await this.members.filterActive(tx, tenantId, [memberId])).has(memberId);
    if (!right || !isActive) return 'You have no break-glass rights.';
    if (right.grantedAt >= createdAt)
      return 'Your break-glass rights were granted after the call was requested. They cover only later calls.';
    const [{ requesters }] = await this.approvalEligibility.assessStored(tx, [approval]);
    if (requesters.includes(memberId)) return 'You are a requester of this call.';
    const independence = await this.independence.load(tx, tenantId, [...requesters, memberId]);
    return independence.isIndependent(memberId, requesters) ? null : 'A requester of this call could use your account.';
  }

  /** Why an override no longer counts when the call runs, or null. */
  async findLapse(tx: Tx, approval: Approval): Promise<string | null> {
    const changed = await this.approvalEligibility.findStepChange(tx, approval);
    if (changed) return changed;
    const refusal = await this.findRefusal(tx, approval, approval.overriddenBy!);
    return refusal === null ? null : 'The member who overrode the approval can no longer do so.';
  }

  /** Why this member cannot review the override, or null. `isAdministrator`: also without being an approver of the step. */
  async findReviewRefusal(
    tx: Tx,
    approval: Approval,
    { memberId: overrider }: ApprovalOverride,
    memberId: string,
    isAdministrator: boolean,
  ): Promise<string | null> {
    const { tenantId, deciders, escalationDeciders } = approval;
    if (memberId === overrider) return 'You overrode this approval, so another member has to review it.';
    if (!isAdministrator && ![...deciders, ...escalationDeciders].includes(memberId))
      return 'You are neither an administrator nor an approver of this step.';
    const [{ requesters }] = await this.approvalEligibility.assessStored(tx, [approval]);
    if (requesters.includes(memberId)) return 'You are a requester of this call.';
    return (await this.independence.areIndependent(tx, tenantId, memberId, overrider))
      ? null
      : 'You are not independent of the member who overrode the approval.';
  }
}
