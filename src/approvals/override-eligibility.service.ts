import { Injectable } from '@nestjs/common';
import { IndependenceService } from '../access/independence/independence.service.js';
import { MembersService } from '../access/members.service.js';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import type { ApprovalOverride } from './approval-override.entity.js';
import type { Approval } from './approval.entity.js';
import { BreakGlassRight } from './break-glass-right.entity.js';

interface OverriddenApproval {
  approval: Approval;
  override: ApprovalOverride;
}

/** Determines who can override a pending approval, and who can review that afterwards. */
@Injectable()
export class OverrideEligibilityService {
  constructor(
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly approvalEligibility: ApprovalEligibilityService,
  ) {}

  async findRefusal(tx: Tx, approval: Approval, memberId: string): Promise<string | null> {
    return (await this.findRefusals(tx, [approval], memberId))[0];
  }

  /**
   * For each approval of one tenant, in their order: why this member cannot override it, or null. Stricter than a
   * review: the setting for introduced members does not apply.
   */
  async findRefusals(tx: Tx, approvals: readonly Approval[], memberId: string): Promise<(string | null)[]> {
    const [{ tenantId }] = approvals;
    const right = await tx.findOneBy(BreakGlassRight, { tenantId, memberId });
    const isActive = (await this.members.filterActive(tx, tenantId, [memberId])).has(memberId);
    if (!right || !isActive) return approvals.map(() => 'You have no break-glass rights.');
    const assessments = await this.approvalEligibility.assessStored(tx, approvals);
    const everyone = assessments.flatMap(({ requesters }) => requesters);
    const independence = await this.independence.load(tx, tenantId, [...new Set([...everyone, memberId])]);
    return assessments.map(({ requesters }, nth) => {
      if (approvals[nth].requiresPasskey)
        return 'This step is decided with the passkey of an approver, so it cannot be overridden.';
      if (right.grantedAt >= approvals[nth].createdAt)
        return 'Your break-glass rights were granted after the call was requested. They cover only later calls.';
      if (requesters.includes(memberId)) return 'You are a requester of this call.';
      return independence.isIndependent(memberId, requesters)
        ? null
        : 'A requester of this call could use your account.';
    });
  }

  /** Why an override no longer counts when the call runs, or null. */
  async findLapse(tx: Tx, approval: Approval): Promise<string | null> {
    const changed = await this.approvalEligibility.findStepChange(tx, approval);
    if (changed) return changed;
    const refusal = await this.findRefusal(tx, approval, approval.overriddenBy!);
    return refusal === null ? null : 'The member who overrode the approval can no longer do so.';
  }

  /**
   * For each override, in their order: why this member cannot review it, or null. `isAdministrator`: also without being
   * an approver of the step.
   */
  async findReviewRefusals(
    tx: Tx,
    overridden: readonly OverriddenApproval[],
    { memberId, isAdministrator }: { memberId: string; isAdministrator: boolean },
  ): Promise<(string | null)[]> {
    const approvals = overridden.map(({ approval }) => approval);
    const overriders = overridden.map(({ override }) => override.memberId);
    const assessments = await this.approvalEligibility.assessStored(tx, approvals);
    const [{ tenantId }] = approvals;
    const independent = await this.independence.areEachIndependent(tx, tenantId, memberId, overriders);
    return approvals.map(({ deciders, escalationDeciders }, nth) => {
      if (memberId === overriders[nth]) return 'You overrode this approval, so another member has to review it.';
      if (!isAdministrator && ![...deciders, ...escalationDeciders].includes(memberId))
        return 'You are neither an administrator nor an approver of this step.';
      if (assessments[nth].requesters.includes(memberId)) return 'You are a requester of this call.';
      return independent[nth] ? null : 'You are not independent of the member who overrode the approval.';
    });
  }
}
