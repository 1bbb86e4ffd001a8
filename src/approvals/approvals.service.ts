import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { requireMember, requireSession } from '../access/sessions.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import type { ApprovalStep } from './approval-step.entity.js';
import type { SaveApprovalStepInput } from './approval-step.input.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { Approval, type ApprovalState } from './approval.entity.js';
import { approvalDecided, notYoursToDecide } from './approvals.error.js';
import { lockCall } from './approvals.sql.js';
import {
  ApprovalEligibilityService,
  type NewApproval,
  type RequestersSource,
  type CallRevalidator,
} from './approval-eligibility.service.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { type ApprovalDecision, type DecisionOrigin, requireDenialReason } from './approval-decision.port.js';
import { type ApprovalLink, ApprovalLinksService } from './approval-links.service.js';
import { ApprovalEventsService } from './approval-events.service.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';

/** Runs in the transaction that decides, expires or voids the approval. */
type ApprovalClosedHandler = (tx: Tx, approval: Approval, by: Principal, cause?: VoidCause) => Promise<void>;
type ClosedState = Exclude<ApprovalState, 'pending'>;
/** `unreachable`: no one is left who can decide. */
export type VoidCause = 'unreachable';
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

/** Requests approvals of calls, records decisions on them, and closes those that no longer apply. */
@Injectable()
export class ApprovalsService {
  private readonly closedHandlers: ApprovalClosedHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly steps: ApprovalStepsService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
    private readonly approvalVisibility: ApprovalVisibilityService,
    private readonly approvalEvents: ApprovalEventsService,
    private readonly approvalLinks: ApprovalLinksService,
  ) {}

  onClosed(handler: ApprovalClosedHandler): void {
    this.closedHandlers.push(handler);
  }

  /** The gate provides the requesters of a call, and whether it would still run as requested. */
  registerCallSources(loadRequesters: RequestersSource, revalidateCall: CallRevalidator): void {
    this.approvalEligibility.registerCallSources(loadRequesters, revalidateCall);
  }

  /** Requests all steps together. Null if a step is unknown or too few members can decide on it: then nothing was requested. */
  async request(tx: Tx, principal: Principal, approvalRequest: ApprovalRequest): Promise<Approval[] | null> {
    await this.approvalEligibility.blockAccessChanges(tx, principal.tenantId);
    const round = (await this.lastRound(tx, principal.tenantId, approvalRequest.callId)) + 1;
    const approvals: Approval[] = [];
    for (const name of new Set(approvalRequest.stepNames)) {
      const approval = await this.buildApproval(tx, principal.tenantId, { ...approvalRequest, round }, name);
      if (!approval) return null;
      approvals.push(approval);
    }
    await tx.insert(Approval, approvals);
    for (const approval of approvals) await this.approvalEvents.record(tx, principal, approval, 'requested');
    return approvals;
  }

  async decide(
    principal: Principal,
    id: string,
    decision: ApprovalDecision,
    reason?: string,
    origin: DecisionOrigin = {},
  ): Promise<Approval> {
    const { link, authorizeChat } = origin;
    const { memberId } = authorizeChat ? requireMember(principal) : requireSession(principal);
    const reasonText = requireDenialReason(decision, reason);
    return this.database.tenant(principal, async (tx) => {
      const { callId } = await this.approvalVisibility.get(tx, principal, id);
      await this.lockCalls(tx, [callId]);
      const approval = await this.approvalVisibility.get(tx, principal, id);
      if (link) await this.useLink(tx, approval, link);
      if (approval.state !== 'pending') throw approvalDecided(`This approval is already ${approval.state}.`);
      if (approval.expiresAt <= new Date()) throw approvalDecided('This approval has expired.');
      await this.approvalEligibility.blockAccessChanges(tx, principal.tenantId);
      await authorizeChat?.(tx, approval);
      const decidedInSlack = authorizeChat !== undefined;
      const deciders = await this.approvalEligibility.deciders(tx, approval);
      if (decision === 'approve' && approval.approvedBy.includes(memberId))
        throw approvalDecided('You have already approved this call. It waits for other members.');
      if (!deciders.includes(memberId))
        throw notYoursToDecide(await this.approvalCandidates.explainIneligibility(tx, approval, memberId));
      if (decision === 'deny') {
        const denied = { state: 'denied' as const, decidedBy: memberId, reason: reasonText, decidedInSlack };
        return this.close(tx, principal, approval, denied, { link });
      }
      const changed = await this.approvalEligibility.findChange(tx, approval);
      if (changed) return this.close(tx, principal, approval, { state: 'void', reason: changed }, { link });
      // an earlier approval does not count once its member can no longer decide
      const approvedBy = [...approval.approvedBy.filter((id) => deciders.includes(id)), memberId];
      if (approvedBy.length < approval.quorum) return this.recordVote(tx, principal, approval, approvedBy, link);
      const selfApproved = await this.approvalEligibility.isSelfApproved(tx, approval, memberId);
      const approved = { state: 'approved' as const, decidedBy: memberId, approvedBy, selfApproved, decidedInSlack };
      return this.close(tx, principal, approval, approved, { link });
    });
  }

  /** The lock of the call serializes decisions. If the decision fails, the link stays usable. */
  private async useLink(tx: Tx, approval: Approval, link: ApprovalLink): Promise<void> {
    const { tenantId, id } = approval;
    this.approvalLinks.requireUnused(approval, link);
    const usedLinks = [...approval.usedLinks, link.messageId];
    await tx.update(Approval, { tenantId, id }, { usedLinks });
    Object.assign(approval, { usedLinks });
  }

  async get(principal: Principal, id: string): Promise<Approval> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.approvalVisibility.get(tx, principal, id));
  }

  /** Everyone whom the steps of each call would name if it were requested now; in the order of the calls. */
  async candidatesOfNew(tx: Tx, tenantId: string, calls: readonly ApprovalRequest[]): Promise<ApprovalCandidate[][]> {
    const steps = new Map((await this.steps.listIn(tx, tenantId)).map((step) => [step.name, step]));
    const drafts = calls.flatMap((request) =>
      request.stepNames.flatMap((name) => {
        const step = steps.get(name);
        return step ? newApprovalOf(step, { ...request, tenantId, round: 1 }) : [];
      }),
    );
    const candidates = drafts.length ? await this.approvalCandidates.candidatesOfNew(tx, drafts) : [];
    const ofCall = Map.groupBy(candidates.keys(), (nth) => drafts[nth].callId);
    return calls.map(({ callId }) => {
      const ofSteps = (ofCall.get(callId) ?? []).flatMap((nth) => candidates[nth]);
      return [...new Map(ofSteps.map((candidate) => [candidate.id, candidate])).values()];
    });
  }

  /**
   * Serializes decisions on a call. Everything that changes its approvals, or its state because of them, takes this
   * lock first. Locks are taken in the order of the ids to avoid deadlocks.
   */
  async lockCalls(tx: Tx, callIds: string[]): Promise<void> {
    for (const id of [...callIds].sort()) await tx.execute(lockCall, [id]);
  }

  /** The approvals of the last round: a rerun of a call is decided again. */
  async listOfCall(tx: Tx, tenantId: string, callId: string): Promise<Approval[]> {
    const round = await this.lastRound(tx, tenantId, callId);
    return tx.find(Approval, { where: { tenantId, callId, round }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /**
   * Voids pending approvals of a tenant that have no eligible decider left, so that no call waits in vain. Runs after
   * changes of accounts, memberships or credentials.
   */
  async voidUnreachable(tenantId: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'approvals');
    await this.database.tenant(principal, async (tx) => {
      const approvals = await this.lockPending(tx, { tenantId });
      if (!approvals.length) return;
      await this.approvalEligibility.blockAccessChanges(tx, tenantId);
      const deciders = await this.approvalEligibility.decidersOfEach(tx, approvals);
      for (const [nth, { id }] of approvals.entries()) {
        if (deciders[nth].length >= approvals[nth].quorum) continue;
        const approval = await findPending(tx, tenantId, id);
        if (!approval) continue;
        const unreachable = { state: 'void' as const, reason: tooFewDeciders(approval) };
        await this.close(tx, principal, approval, unreachable, { cause: 'unreachable' });
      }
    });
  }

  /**
   * Why the approvals of a call are no longer sufficient, or null. Each step must be approved and unchanged, and its
   * approver must still be eligible.
   */
  async findLapse(tx: Tx, tenantId: string, callId: string, stepNames: readonly string[]): Promise<string | null> {
    await this.approvalEligibility.blockAccessChanges(tx, tenantId);
    const approvals = await this.listOfCall(tx, tenantId, callId);
    for (const name of stepNames) {
      const approval = approvals.find((candidate) => candidate.stepName === name);
      if (approval?.state !== 'approved') return `The approval step "${name}" was not approved.`;
      const lapse = await this.approvalEligibility.findLapse(tx, approval);
      if (lapse) return lapse;
    }
    return null;
  }

  /** Voids the pending and approved approvals of calls that will not run. The caller holds the locks of the calls. */
  async void(tx: Tx, principal: Principal, callIds: string[], reason: string): Promise<void> {
    for (const callId of callIds)
      for (const approval of await this.listOfCall(tx, principal.tenantId, callId))
        if (approval.state === 'pending' || approval.state === 'approved')
          await this.close(tx, principal, approval, { state: 'void', reason });
  }

  /**
   * After a policy was published or a step changed: voids pending approvals that would now be requested differently.
   */
  async revalidatePending(
    tx: Tx,
    principal: Principal,
    of: { configurationId?: string; stepName?: string },
  ): Promise<void> {
    const { tenantId } = principal;
    for (const { id } of await this.lockPending(tx, { tenantId, ...of })) {
      const approval = await findPending(tx, tenantId, id);
      const changed = approval && (await this.approvalEligibility.findChange(tx, approval));
      if (changed) await this.close(tx, principal, approval, { state: 'void', reason: changed });
    }
  }

  /** Locks the calls of these pending approvals, and returns the approvals that are still pending under the locks. */
  private async lockPending(
    tx: Tx,
    of: { tenantId: string; configurationId?: string; stepName?: string },
  ): Promise<Approval[]> {
    const pending = { ...of, state: 'pending' as const };
    const found = await tx.find(Approval, { where: pending, select: { tenantId: true, callId: true } });
    const callIds = [...new Set(found.map(({ callId }) => callId))];
    await this.lockCalls(tx, callIds);
    return tx.findBy(Approval, { ...pending, callId: In(callIds) });
  }

  /** Denies the call of an overdue approval. */
  async expire(tenantId: string, id: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'approvals');
    await this.database.tenant(principal, async (tx) => {
      const { callId } = await tx.findOneByOrFail(Approval, { tenantId, id });
      await this.lockCalls(tx, [callId]);
      const approval = await findPending(tx, tenantId, id);
      if (!approval || approval.expiresAt > new Date()) return;
      await this.close(tx, principal, approval, { state: 'expired', reason: 'No one decided in time.' });
    });
  }

  async saveStep(principal: Principal, input: SaveApprovalStepInput): Promise<ApprovalStep> {
    requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const step = await this.steps.save(tx, principal, input);
      await this.revalidatePending(tx, principal, { stepName: step.name });
      return step;
    });
  }

  /** An approval that does not complete the quorum. */
  private async recordVote(
    tx: Tx,
    principal: Principal,
    approval: Approval,
    approvedBy: string[],
    link?: ApprovalLink,
  ): Promise<Approval> {
    const { tenantId, id } = approval;
    await tx.update(Approval, { tenantId, id, state: 'pending' }, { approvedBy });
    Object.assign(approval, { approvedBy });
    await this.approvalEvents.record(tx, principal, approval, 'voted', link);
    return approval;
  }

  private async lastRound(tx: Tx, tenantId: string, callId: string): Promise<number> {
    return (await tx.maximum(Approval, 'round', { tenantId, callId })) ?? 0;
  }

  private async close(
    tx: Tx,
    principal: Principal,
    approval: Approval,
    change: Partial<Approval> & { state: ClosedState },
    { cause, link }: { cause?: VoidCause; link?: ApprovalLink } = {},
  ): Promise<Approval> {
    const { tenantId, id, state } = approval;
    const values = { ...change, decidedAt: new Date() };
    const { affected } = await tx.update(Approval, { tenantId, id, state }, values);
    if (affected !== 1) throw approvalDecided('Another member decided first.');
    Object.assign(approval, values);
    await this.approvalEvents.record(tx, principal, approval, change.state === 'void' ? 'voided' : change.state, link);
    for (const handler of this.closedHandlers) await handler(tx, approval, principal, cause);
    return approval;
  }

  private async buildApproval(
    tx: Tx,
    tenantId: string,
    approvalRequest: ApprovalRequest & { round: number },
    name: string,
  ): Promise<Approval | null> {
    const step = await this.steps.find(tx, tenantId, name);
    if (!step) return null;
    const newApproval = newApprovalOf(step, { ...approvalRequest, tenantId });
    const eligible = await this.approvalEligibility.assessRequest(tx, newApproval);
    return eligible.deciders.length >= step.quorum ? tx.create(Approval, { ...newApproval, ...eligible }) : null;
  }
}

/** For loops that close approvals: closing one step of a call may close its other steps. */
const findPending = (tx: Tx, tenantId: string, id: string): Promise<Approval | null> =>
  tx.findOneBy(Approval, { tenantId, id, state: 'pending' });

function newApprovalOf(
  step: ApprovalStep,
  { stepNames: _, ...call }: ApprovalRequest & { tenantId: string; round: number },
): NewApproval {
  const createdAt = new Date();
  return {
    ...call,
    id: newId(),
    stepName: step.name,
    tier: step.tier,
    quorum: step.quorum,
    approvedBy: [],
    usedLinks: [],
    decidedInSlack: false,
    approverGroupId: step.approverGroupId,
    state: 'pending',
    createdAt,
    expiresAt: new Date(createdAt.getTime() + step.expiresAfterSeconds * 1000),
    decidedAt: null,
    decidedBy: null,
    reason: null,
  };
}

const tooFewDeciders = ({ quorum }: Approval): string =>
  quorum === 1
    ? 'No one is left who can decide on this call.'
    : `Fewer than ${quorum} members are left who can approve this call.`;
