import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { ApprovalEventsService } from './approval-events.service.js';
import { type NewApproval, toStoredEligibility } from './approval-assessment.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { secondsAfter } from './approval-state.js';
import type { ApprovalStep } from './approval-step.entity.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { Approval } from './approval.entity.js';
import { SubstituteNotificationScheduler } from './substitute-notification-scheduler.service.js';

export interface ApprovalRequest {
  callId: string;
  configurationId: string;
  taskId: string | null;
  tool: string;
  stepNames: string[];
  /** Members who act in the call or know a credential that was used. */
  requesters: string[];
  byAgent: boolean;
  responsibleId: string | null;
}

/** Requests the steps of a call in their order, and determines who can decide on each. */
@Injectable()
export class NewApprovalsService {
  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
    private readonly approvalEvents: ApprovalEventsService,
    private readonly substituteNotifications: SubstituteNotificationScheduler,
  ) {}

  /** Null, and nothing was stored: see `build`. */
  async insert(tx: Tx, principal: Principal, request: ApprovalRequest & { round: number }): Promise<Approval[] | null> {
    const approvals = await this.build(tx, principal.tenantId, request);
    if (!approvals) return null;
    await tx.insert(Approval, approvals);
    await this.approvalEvents.recordRequested(tx, principal, approvals);
    await this.substituteNotifications.schedule(tx, principal.tenantId, approvals);
    return approvals;
  }

  /** In the order of the steps; the first one is open. Null if a step is unknown or too few members can decide on it. */
  private async build(
    tx: Tx,
    tenantId: string,
    request: ApprovalRequest & { round: number },
  ): Promise<Approval[] | null> {
    const drafts = draftsOf(await this.steps.listIn(tx, tenantId), tenantId, request);
    if (!drafts.length || drafts.length < new Set(request.stepNames).size) return null;
    const assessments = await this.approvalEligibility.assessNew(tx, drafts);
    const approvals = drafts.map((draft, nth) =>
      tx.create(Approval, { ...draft, ...toStoredEligibility(assessments[nth]) }),
    );
    const canBeDecided = ({ deciders, escalationDeciders, quorum }: Approval) =>
      new Set([...deciders, ...escalationDeciders]).size >= quorum;
    return approvals.every(canBeDecided) ? approvals : null;
  }

  /** Everyone whom the steps of each call would name if it were requested now; in the order of the calls. */
  async candidatesOfEach(tx: Tx, tenantId: string, calls: readonly ApprovalRequest[]): Promise<ApprovalCandidate[][]> {
    const steps = await this.steps.listIn(tx, tenantId);
    const drafts = calls.flatMap((request) => draftsOf(steps, tenantId, { ...request, round: 1 }));
    const candidates = drafts.length ? await this.approvalCandidates.candidatesOfNew(tx, drafts) : [];
    const ofCall = Map.groupBy(candidates.keys(), (nth) => drafts[nth].callId);
    return calls.map(({ callId }) => {
      const ofSteps = (ofCall.get(callId) ?? []).flatMap((nth) => candidates[nth]);
      return [...new Map(ofSteps.map((candidate) => [candidate.id, candidate])).values()];
    });
  }
}

/** Unknown steps are left out. */
function draftsOf(
  all: readonly ApprovalStep[],
  tenantId: string,
  { stepNames, ...call }: ApprovalRequest & { round: number },
): NewApproval[] {
  const createdAt = new Date();
  let expiresAt = createdAt;
  return all
    .filter(({ name }) => stepNames.includes(name))
    .sort((a, b) => a.position - b.position || (a.name < b.name ? -1 : 1))
    .map((step, nth, steps) => {
      expiresAt = secondsAfter(expiresAt, step.expiresAfterSeconds);
      return {
        ...call,
        tenantId,
        id: newId(),
        stepName: step.name,
        stepNumber: nth + 1,
        stepCount: steps.length,
        tier: step.tier,
        quorum: step.quorum,
        approvedBy: [],
        approvedFor: [],
        usedLinks: [],
        decidableInSlack: step.decidableInSlack,
        decidedInSlack: false,
        requiresPasskey: step.requiresPasskey,
        approverGroupId: step.approverGroupId,
        state: nth === 0 ? 'pending' : 'waiting',
        createdAt,
        openedAt: nth === 0 ? createdAt : null,
        expiresAfterSeconds: step.expiresAfterSeconds,
        expiresAt,
        escalationGroupId: step.escalationGroupId,
        escalatesAfterSeconds: step.escalatesAfterSeconds,
        escalatesAt:
          nth === 0 && step.escalatesAfterSeconds !== null ? secondsAfter(createdAt, step.escalatesAfterSeconds) : null,
        escalatedAt: null,
        decidedAt: null,
        decidedBy: null,
        decidedFor: null,
        overriddenBy: null,
        reason: null,
      };
    });
}
