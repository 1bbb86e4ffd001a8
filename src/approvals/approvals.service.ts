import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { requireMember, requireSession } from '../access/sessions.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import {
  type ApprovalAction,
  isClosed,
  nextToOpen,
  openStates,
  tooFewDeciders,
  type Transition,
  transition,
} from './approval-state.js';
import { Approval } from './approval.entity.js';
import { approvalDecided } from './approvals.error.js';
import { lockCall } from './approvals.sql.js';
import {
  ApprovalEligibilityService,
  type RequestersSource,
  type CallRevalidator,
} from './approval-eligibility.service.js';
import { ApprovalLapsesService } from './approval-lapses.service.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import {
  type ApprovalDecision,
  type DecisionOrigin,
  type OverrideAction,
  requireDenialReason,
  type TaskGrantTerms,
} from './approval-decision.port.js';
import { type ApprovalLink, requireUnusedLink } from './approval-links.service.js';
import { ApprovalPasskeysService, type CallHashesSource, type PasskeyUse } from './approval-passkeys.service.js';
import { ApprovalEventsService } from './approval-events.service.js';
import { lastRoundOf, listLastRound } from './approval-rounds.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { type ApprovalRequest, NewApprovalsService } from './new-approvals.service.js';

export type { ApprovalRequest } from './new-approvals.service.js';
/** Runs in the transaction that decides, expires or voids the approval. */
type ApprovalClosedHandler = (tx: Tx, approval: Approval, by: Principal, cause?: VoidCause) => Promise<void>;
/** Runs in the transaction of a vote to approve, before the vote is stored. Throws if the terms are not acceptable. */
type VoteHandler = (tx: Tx, approval: Approval, by: Principal, terms: TaskGrantTerms | undefined) => Promise<void>;
/** `unreachable`: no one is left who can decide. `edited`: the call continues with other approvals. */
export type VoidCause = 'unreachable' | 'edited';

interface TransitionContext {
  cause?: VoidCause;
  link?: ApprovalLink;
  passkey?: PasskeyUse;
  overrideReason?: string;
}

/** Requests approvals of calls, records decisions on them, and closes those that no longer apply. */
@Injectable()
export class ApprovalsService {
  private readonly closedHandlers: ApprovalClosedHandler[] = [];
  private readonly voteHandlers: VoteHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
    private readonly approvalVisibility: ApprovalVisibilityService,
    private readonly approvalEvents: ApprovalEventsService,
    private readonly newApprovals: NewApprovalsService,
    private readonly approvalPasskeys: ApprovalPasskeysService,
    private readonly approvalLapses: ApprovalLapsesService,
  ) {}

  onClosed(handler: ApprovalClosedHandler): void {
    this.closedHandlers.push(handler);
  }

  onVote(handler: VoteHandler): void {
    this.voteHandlers.push(handler);
  }

  /** The gate provides the requesters of a call, whether it would still run as requested, and its hashes. */
  registerCallSources(
    loadRequesters: RequestersSource,
    revalidateCall: CallRevalidator,
    loadCallHashes: CallHashesSource,
  ): void {
    this.approvalPasskeys.registerCallHashes(loadCallHashes);
    this.approvalEligibility.registerCallSources(loadRequesters, revalidateCall);
  }

  /** Opens the first step; the others wait for their turn. Null, and nothing was requested: see `NewApprovalsService`. */
  async request(tx: Tx, principal: Principal, approvalRequest: ApprovalRequest): Promise<Approval[] | null> {
    const { tenantId } = principal;
    await this.approvalEligibility.blockAccessChanges(tx, tenantId);
    const round = (await lastRoundOf(tx, tenantId, approvalRequest.callId)) + 1;
    return this.newApprovals.insert(tx, principal, { ...approvalRequest, round });
  }

  async decide(
    principal: Principal,
    id: string,
    decision: ApprovalDecision,
    reason?: string,
    origin: DecisionOrigin = {},
  ): Promise<Approval> {
    const decided = await catchProblem(this.applyDecision(principal, id, decision, reason, origin));
    if (!(decided instanceof Problem)) return decided;
    await this.approvalPasskeys.recordRefusal(principal, id, decided);
    throw decided;
  }

  private async applyDecision(
    principal: Principal,
    id: string,
    decision: ApprovalDecision,
    reason: string | undefined,
    { link, authorizeChat, passkeyResponse, taskGrant }: DecisionOrigin,
  ): Promise<Approval> {
    const { memberId } = authorizeChat ? requireMember(principal) : requireSession(principal);
    const reasonText = requireDenialReason(decision, reason);
    const received =
      passkeyResponse == null ? null : await this.approvalPasskeys.receive(principal, id, passkeyResponse);
    return this.database.tenant(principal, async (tx) => {
      const approval = await this.lockApproval(tx, principal, id);
      if (link) await this.useLink(tx, approval, link);
      await this.approvalEligibility.blockAccessChanges(tx, principal.tenantId);
      const voters = await this.approvalEligibility.voters(tx, approval);
      const decided = transition(
        approval,
        reasonText === null
          ? { kind: 'vote', memberId, voters }
          : { kind: 'deny', memberId, voters, reason: reasonText },
        new Date(),
      );
      if ('refusal' in decided) throw await this.approvalCandidates.toProblem(tx, approval, memberId, decided.refusal);
      await authorizeChat?.(tx, approval);
      const assertion = await this.approvalPasskeys.verify(tx, approval, memberId, decision, received);
      if (reasonText === null) {
        const changed = await this.findChange(tx, approval);
        if (changed) return this.apply(tx, principal, approval, { kind: 'void', reason: changed }, { link });
        for (const handler of this.voteHandlers) await handler(tx, approval, principal, taskGrant);
      }
      const change: Partial<Approval> = { ...decided.change, ...(authorizeChat && { decidedInSlack: true }) };
      if (decided.event === 'approved')
        change.selfApproved = await this.approvalEligibility.isSelfApproved(tx, approval, memberId);
      const passkey = assertion ? await this.approvalPasskeys.store(tx, approval, decision, assertion) : undefined;
      return this.store(tx, principal, approval, { event: decided.event, change }, { link, passkey });
    });
  }

  /** Approves a pending step in place of its approvers, after the same checks as for their decision. */
  async override(principal: Principal, id: string, { authorize, record, reason }: OverrideAction): Promise<Approval> {
    const { memberId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const approval = await this.lockApproval(tx, principal, id);
      await this.approvalEligibility.blockAccessChanges(tx, principal.tenantId);
      const next = transition(approval, { kind: 'override', memberId }, new Date());
      if ('refusal' in next) throw await this.approvalCandidates.toProblem(tx, approval, memberId, next.refusal);
      await authorize(tx, approval);
      const changed = await this.findChange(tx, approval);
      if (changed) return this.apply(tx, principal, approval, { kind: 'void', reason: changed });
      await record(tx, approval);
      return this.store(tx, principal, approval, next, { overrideReason: reason });
    });
  }

  /** Why the step can no longer be approved, or null. */
  private async findChange(tx: Tx, approval: Approval): Promise<string | null> {
    const changed = await this.approvalEligibility.findChange(tx, approval);
    return changed ?? this.approvalLapses.findOfEarlierStep(tx, approval);
  }

  private async lockApproval(tx: Tx, principal: Principal, id: string): Promise<Approval> {
    const { callId } = await this.approvalVisibility.get(tx, principal, id);
    await this.lockCalls(tx, [callId]);
    return this.approvalVisibility.get(tx, principal, id);
  }

  /** The lock of the call serializes decisions. If the decision fails, the link stays usable. */
  private async useLink(tx: Tx, approval: Approval, link: ApprovalLink): Promise<void> {
    const { tenantId, id } = approval;
    requireUnusedLink(approval, link);
    const usedLinks = [...approval.usedLinks, link.messageId];
    await tx.update(Approval, { tenantId, id }, { usedLinks });
    Object.assign(approval, { usedLinks });
  }

  async get(principal: Principal, id: string): Promise<Approval> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.approvalVisibility.get(tx, principal, id));
  }

  /** Everyone whom the steps of each call would name if it were requested now; in the order of the calls. */
  candidatesOfNew(tx: Tx, tenantId: string, calls: readonly ApprovalRequest[]): Promise<ApprovalCandidate[][]> {
    return this.newApprovals.candidatesOfEach(tx, tenantId, calls);
  }

  /**
   * Serializes decisions on a call. Everything that changes its approvals, or its state because of them, takes this
   * lock first. Locks are taken in the order of the ids to avoid deadlocks.
   */
  async lockCalls(tx: Tx, callIds: string[]): Promise<void> {
    for (const id of [...callIds].sort()) await tx.execute(lockCall, [id]);
  }

  /** The approvals of the last round, in the order of the steps: a rerun of a call is decided again. */
  listOfCall(tx: Tx, tenantId: string, callId: string): Promise<Approval[]> {
    return listLastRound(tx, tenantId, callId);
  }

  /**
   * Voids open approvals of a tenant that have no eligible decider left, so that no call waits in vain. Runs after
   * changes of accounts, memberships or credentials.
   */
  async voidUnreachable(tenantId: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'approvals');
    await this.database.tenant(principal, async (tx) => {
      const approvals = await this.lockOpen(tx, { tenantId });
      if (!approvals.length) return;
      await this.approvalEligibility.blockAccessChanges(tx, tenantId);
      await this.voidLapsed(tx, principal, approvals);
      await this.voidWithoutDeciders(tx, principal, approvals);
    });
  }

  private async voidWithoutDeciders(tx: Tx, principal: Principal, approvals: readonly Approval[]): Promise<void> {
    const deciders = await this.approvalEligibility.possibleDecidersOfEach(tx, approvals);
    for (const [nth, { tenantId, id, quorum }] of approvals.entries()) {
      if (deciders[nth].length >= quorum) continue;
      const approval = await findOpen(tx, tenantId, id);
      const reason = tooFewDeciders(approvals[nth]);
      if (approval) await this.apply(tx, principal, approval, { kind: 'void', reason }, { cause: 'unreachable' });
    }
  }

  /** Voids approved steps whose votes no longer count, of calls with open steps. This closes the open ones too. */
  private async voidLapsed(tx: Tx, principal: Principal, open: readonly Approval[]): Promise<void> {
    const callIds = new Set(
      open.flatMap(({ callId, state, stepNumber }) => (state === 'pending' && stepNumber > 1 ? [callId] : [])),
    );
    for (const callId of callIds)
      for (const approval of await this.listOfCall(tx, principal.tenantId, callId)) {
        if (approval.state !== 'approved') continue;
        const reason = await this.approvalLapses.findOfStep(tx, approval);
        if (!reason) continue;
        await this.apply(tx, principal, approval, { kind: 'void', reason });
        break;
      }
  }

  /** Voids the open and approved approvals of calls that will not run. The caller holds the locks of the calls. */
  async void(tx: Tx, principal: Principal, callIds: string[], reason: string, cause?: VoidCause): Promise<void> {
    for (const callId of callIds)
      for (const approval of await this.listOfCall(tx, principal.tenantId, callId))
        if (!('refusal' in transition(approval, { kind: 'void', reason }, new Date())))
          await this.apply(tx, principal, approval, { kind: 'void', reason }, { cause });
  }

  /**
   * After a policy was published or a step changed: voids open approvals that would now be requested differently.
   */
  async revalidatePending(
    tx: Tx,
    principal: Principal,
    of: { configurationId?: string; stepName?: string },
  ): Promise<void> {
    const { tenantId } = principal;
    for (const { id } of await this.lockOpen(tx, { tenantId, ...of })) {
      const approval = await findOpen(tx, tenantId, id);
      const changed = approval && (await this.approvalEligibility.findChange(tx, approval));
      if (changed) await this.apply(tx, principal, approval, { kind: 'void', reason: changed });
    }
  }

  /** Locks the calls of these open approvals, and returns the approvals that are still open under the locks. */
  private async lockOpen(
    tx: Tx,
    of: { tenantId: string; configurationId?: string; stepName?: string },
  ): Promise<Approval[]> {
    const open = { ...of, state: In([...openStates]) };
    const found = await tx.find(Approval, { where: open, select: { tenantId: true, callId: true } });
    const callIds = [...new Set(found.map(({ callId }) => callId))];
    await this.lockCalls(tx, callIds);
    return tx.findBy(Approval, { ...open, callId: In(callIds) });
  }

  /** Denies the call of an overdue approval. */
  expire(tenantId: string, id: string): Promise<void> {
    return this.applyIfDue(tenantId, id, { kind: 'expire' });
  }

  /** Adds the escalation group of the step. */
  escalate(tenantId: string, id: string): Promise<void> {
    return this.applyIfDue(tenantId, id, { kind: 'escalate' });
  }

  private async applyIfDue(tenantId: string, id: string, action: ApprovalAction): Promise<void> {
    const principal = systemPrincipal(tenantId, 'approvals');
    await this.database.tenant(principal, async (tx) => {
      const { callId } = await tx.findOneByOrFail(Approval, { tenantId, id });
      await this.lockCalls(tx, [callId]);
      const approval = await findOpen(tx, tenantId, id);
      const next = approval && transition(approval, action, new Date());
      if (next && !('refusal' in next)) await this.store(tx, principal, approval, next);
    });
  }

  /** For actions that are known to be possible. */
  private apply(tx: Tx, principal: Principal, approval: Approval, action: ApprovalAction, context?: TransitionContext) {
    const next = transition(approval, action, new Date());
    if ('refusal' in next) throw new Error(`approval ${approval.id} is ${approval.state}: ${next.refusal}`);
    return this.store(tx, principal, approval, next, context);
  }

  /** Records the event, opens the next step, and notifies the gate when the approval is closed. */
  private async store(
    tx: Tx,
    principal: Principal,
    approval: Approval,
    { event, change }: Omit<Transition, 'change'> & { change: Partial<Approval> },
    { cause, link, passkey, overrideReason }: TransitionContext = {},
  ): Promise<Approval> {
    const { tenantId, id, state, callId } = approval;
    const { affected } = await tx.update(Approval, { tenantId, id, state }, change);
    if (affected !== 1) throw approvalDecided('Another member decided first.');
    Object.assign(approval, change);
    await this.approvalEvents.record(tx, principal, approval, event, { link, passkey, overrideReason });
    const next = approval.state === 'approved' ? nextToOpen(await this.listOfCall(tx, tenantId, callId)) : null;
    if (next) await this.apply(tx, principal, next, { kind: 'open' });
    if (isClosed(approval.state))
      for (const handler of this.closedHandlers) await handler(tx, approval, principal, cause);
    // a member who approved as a substitute cannot decide on the next step
    if (next) await this.voidWithoutDeciders(tx, systemPrincipal(tenantId, 'approvals'), [next]);
    return approval;
  }
}

/** For loops that close approvals: closing one step of a call may close its other steps. */
const findOpen = (tx: Tx, tenantId: string, id: string): Promise<Approval | null> =>
  tx.findOneBy(Approval, { tenantId, id, state: In([...openStates]) });
