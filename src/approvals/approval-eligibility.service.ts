import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { IndependenceService } from '../access/independence/independence.service.js';
import { IntroducedReviewersService } from '../access/administration/introduced-reviewers.service.js';
import { PasskeyAssertionsService } from '../access/passkeys/passkey-assertions.service.js';
import { type Approver, MembersService } from '../access/members.service.js';
import {
  type ApprovalAssessment,
  type NewApproval,
  repeatsVote,
  usablePasskeysOf,
  votersForEach,
  votersOf,
} from './approval-assessment.js';
import { countingVotes, type Voter, votesOf } from './approval-state.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { Approval } from './approval.entity.js';
import type { Substitution } from './substitution.entity.js';
import { assessPasskeys, type AssessedPasskey, hasPasskey } from './counting-passkeys.js';
import { signersOfApproval } from './approvals.sql.js';
import { activeSubstitutions, openSubstitutionsOf } from './substitutions.sql.js';
import { isSelfApproved, remainingDeciders } from './tier.js';

/**
 * The members who act in the calls of these approvals, in their order: the person or the member responsible for the
 * agent, the chain, and everyone who knows a credential that was used. The set can grow: a member may reveal a key of
 * the agent after the request.
 */
export type RequestersSource = (tx: Tx, approvals: readonly Approval[]) => Promise<string[][]>;
/** Why the call would no longer run as requested, or null. */
export type CallRevalidator = (tx: Tx, approval: Approval) => Promise<string | null>;

/** Determines who can decide on an approval, and whether its call would still run as requested. */
@Injectable()
export class ApprovalEligibilityService {
  private loadRequesters: RequestersSource = async (_tx, approvals) => approvals.map(() => []);
  private revalidateCall: CallRevalidator = async () => null;

  constructor(
    private readonly members: MembersService,
    private readonly independence: IndependenceService,
    private readonly introducedReviewers: IntroducedReviewersService,
    private readonly changes: AccessChangeNotifier,
    private readonly steps: ApprovalStepsService,
    private readonly passkeyAssertions: PasskeyAssertionsService,
  ) {}

  registerCallSources(loadRequesters: RequestersSource, revalidateCall: CallRevalidator): void {
    this.loadRequesters = loadRequesters;
    this.revalidateCall = revalidateCall;
  }

  /** Before a decision: until the transaction ends, no account, membership or credential changes. */
  blockAccessChanges(tx: Tx, tenantId: string): Promise<void> {
    return this.changes.blockChanges(tx, tenantId);
  }

  /** The requesters of a new approval are the members who act in the call. */
  assessNew(tx: Tx, approvals: readonly NewApproval[]): Promise<ApprovalAssessment[]> {
    return this.assess(
      tx,
      approvals,
      approvals.map(({ requesters }) => requesters),
    );
  }

  async voters(tx: Tx, approval: Approval): Promise<Voter[]> {
    return (await this.votersOfEach(tx, [approval]))[0];
  }

  /** For approvals of one tenant, in their order. */
  async votersOfEach(tx: Tx, approvals: readonly Approval[]): Promise<Voter[][]> {
    const assessments = await this.assessStored(tx, approvals);
    return assessments.map((one, nth) => votersOf(approvals[nth], one));
  }

  /** Including those who can decide only after an escalation or when the step opens. */
  async possibleDecidersOfEach(tx: Tx, approvals: readonly Approval[]): Promise<string[][]> {
    const assessments = await this.assessStored(tx, approvals);
    return assessments.map((one, nth) => {
      const { deciders, escalationDeciders, selfApproved } = approvals[nth];
      const stored = [...new Set([...deciders, ...escalationDeciders])];
      const approvers = [...one.approvers, ...one.escalationApprovers];
      const remaining = remainingDeciders(stored, { ...one, approvers, needsIndependence: !selfApproved });
      return remaining.filter((id) => {
        const voters = votersForEach([id], one.substitutions);
        return voters.some((voter) => !repeatsVote(voter, one.votesOnOtherSteps));
      });
    });
  }

  async assessStored(tx: Tx, approvals: readonly Approval[]): Promise<ApprovalAssessment[]> {
    return this.assess(tx, approvals, await this.loadRequesters(tx, approvals));
  }

  /** Whether the approval would lack a second, independent person if this member decided. */
  async isSelfApproved(tx: Tx, approval: Approval, memberId: string): Promise<boolean> {
    const [assessment] = await this.assessStored(tx, [approval]);
    return isSelfApproved([memberId], assessment);
  }

  /** The passkeys with which this member can decide. None if the member cannot decide. */
  async usablePasskeys(tx: Tx, approval: Approval, memberId: string): Promise<AssessedPasskey[]> {
    const [assessment] = await this.assessStored(tx, [approval]);
    return usablePasskeysOf(approval, assessment, memberId);
  }

  /** Whether no requester of the call is this member or could use their account. */
  async isIndependentOfRequesters(tx: Tx, approval: Approval, memberId: string): Promise<boolean> {
    const [{ requesters, acceptsIntroduced }] = await this.assessStored(tx, [approval]);
    if (requesters.includes(memberId)) return false;
    if (acceptsIntroduced) return true;
    const independence = await this.independence.load(tx, approval.tenantId, [...requesters, memberId]);
    return independence.isIndependent(memberId, requesters);
  }

  /** Why the pending approval no longer matches what would be requested now, or null. */
  async findChange(tx: Tx, approval: Approval): Promise<string | null> {
    return (await this.findStepChange(tx, approval)) ?? (await this.revalidateCall(tx, approval));
  }

  /** Why the approvals of the members no longer count, or null. */
  async findLapse(tx: Tx, approval: Approval): Promise<string | null> {
    const changed = await this.findStepChange(tx, approval);
    if (changed) return changed;
    const counting = countingVotes(approval, await this.voters(tx, approval));
    if (counting.length < approval.approvedBy.length)
      return 'A member who approved this call can no longer decide on it.';
    return approval.requiresPasskey ? this.findPasskeyLapse(tx, approval) : null;
  }

  /** A passkey is removed when it is lost, for example. */
  private async findPasskeyLapse(tx: Tx, { tenantId, id, approvedBy }: Approval): Promise<string | null> {
    const signers = await tx.run(signersOfApproval, [tenantId, id]);
    return approvedBy.every((memberId) => signers.some((signer) => signer.memberId === memberId))
      ? null
      : 'A passkey that approved this call was removed.';
  }

  private async assess(
    tx: Tx,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    actingNow: readonly string[][],
  ): Promise<ApprovalAssessment[]> {
    const [{ tenantId }] = approvals;
    const responsibleIds = approvals.flatMap(({ responsibleId }) => responsibleId ?? []);
    const groups = await this.members.listApproversByGroup(tx, tenantId, groupIdsOf(approvals));
    const approverIds = [...groups.values()].flatMap((group) => group.map(({ id }) => id));
    const substitutions = await this.substitutionsOf(tx, tenantId, approvals, approverIds);
    const substituteIds = substitutions.flatMap(({ substituteId, createdBy }) => [substituteId, createdBy]);
    const active = await this.members.filterActive(tx, tenantId, [...responsibleIds, ...substituteIds]);
    const hasSingleMember = (await this.members.countActive(tx, tenantId)) === 1;
    const independence = await this.independence.load(tx, tenantId, [
      ...approverIds,
      ...substituteIds,
      ...actingNow.flat(),
      ...responsibleIds,
    ]);
    const acceptsIntroduced = await this.introducedReviewers.isInEffect(tx, tenantId);
    const statusChanges = await this.statusChanges(tx, tenantId, approvals, substituteIds);
    const callSteps = await listStepsOfCalls(tx, approvals);
    const registered = approvals.some(({ requiresPasskey }) => requiresPasskey)
      ? await this.passkeyAssertions.listOf(tx, tenantId, [...approverIds, ...substituteIds, ...responsibleIds])
      : [];
    return approvals.map((approval, nth) => {
      const { tier, byAgent, responsibleId, createdAt, deciders = [], escalationDeciders = [] } = approval;
      const acting = actingNow[nth];
      const callRequesters = [...approval.requesters, ...independence.requesters(acting)];
      const first = groups.get(approval.approverGroupId)!;
      const second = approval.escalatesAfterSeconds === null ? [] : groups.get(approval.escalationGroupId)!;
      const deciding = approval.escalatedAt === null ? first : [...first, ...second];
      const possible = approval.substitutionIds
        ? substitutions.filter(({ id }) => approval.substitutionIds!.includes(id))
        : substitutions.filter(({ memberId }) => [...first, ...second].some(({ id }) => id === memberId));
      const substitutes = possible.map(({ substituteId }) => substituteId);
      const concerned = [...callRequesters, ...deciders, ...escalationDeciders, ...substitutes];
      const statusChangers = statusChanges
        .filter(({ memberId, at }) => at > createdAt && concerned.includes(memberId))
        .map(({ changedBy }) => changedBy);
      const requesters = [...new Set([...callRequesters, ...statusChangers])];
      const olderThanRequest = (members: readonly Approver[]) =>
        members.flatMap(({ id, since }) => (since < createdAt ? [id] : []));
      const passkeys = approval.requiresPasskey
        ? assessPasskeys(registered, {
            storedIds: approval.passkeyIds,
            requesters,
            couldUse: (person, memberId, at) => independence.couldUse(person, memberId, at),
            acceptsIntroduced,
          })
        : null;
      const hasAnyPasskey = (id: string) => hasPasskey(passkeys, id, { needsIndependence: false });
      const isIndependentMember = (id: string) =>
        acceptsIntroduced ? !requesters.includes(id) : independence.isIndependent(id, requesters);
      const hasOwnPasskey = (id: string) => hasPasskey(passkeys, id, { needsIndependence: true });
      const isIndependent = (id: string) => isIndependentMember(id) && hasOwnPasskey(id);
      // A requester must not choose who decides.
      const acceptable = possible.filter(
        ({ substituteId, createdBy }) =>
          tier === 'review' &&
          active.has(substituteId) &&
          [substituteId, createdBy].every((id) => !requesters.includes(id) && isIndependentMember(id)),
      );
      return {
        approval,
        tier,
        byAgent,
        responsibleId:
          responsibleId !== null && active.has(responsibleId) && hasAnyPasskey(responsibleId) ? responsibleId : null,
        requesters,
        approvers: olderThanRequest(deciding).filter(hasAnyPasskey),
        escalationApprovers: olderThanRequest(second).filter(hasAnyPasskey),
        isIndependent,
        substitutions: acceptable.filter(({ substituteId }) => hasOwnPasskey(substituteId)),
        substitutionsWithoutPasskey: acceptable.filter(({ substituteId }) => !hasOwnPasskey(substituteId)),
        hasSingleMember,
        acting,
        statusChangers,
        independence,
        acceptsIntroduced,
        passkeys,
        // a new approval is explained with everyone who could decide before it expires
        group: approval.deciders ? deciding : [...first, ...second],
        votesOnOtherSteps: callSteps
          .filter(
            ({ callId, round, id }) => callId === approval.callId && round === approval.round && id !== approval.id,
          )
          .flatMap(votesOf),
      };
    });
  }

  private async substitutionsOf(
    tx: Tx,
    tenantId: string,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    approverIds: readonly string[],
  ): Promise<Substitution[]> {
    const stored = approvals.flatMap(({ substitutionIds }) => substitutionIds ?? []);
    const active = stored.length ? await tx.run(activeSubstitutions, [tenantId, stored]) : [];
    if (approvals.every(({ substitutionIds }) => substitutionIds)) return active;
    return [...active, ...(await tx.run(openSubstitutionsOf, [tenantId, [...new Set(approverIds)]]))];
  }

  private async statusChanges(
    tx: Tx,
    tenantId: string,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    substituteIds: readonly string[],
  ) {
    const stored = approvals.filter(({ deciders }) => deciders);
    if (!stored.length) return [];
    const since = new Date(Math.min(...stored.map(({ createdAt }) => createdAt.getTime())));
    const concerned = stored.flatMap(({ requesters, deciders = [], escalationDeciders = [] }) => [
      ...requesters,
      ...deciders,
      ...escalationDeciders,
    ]);
    return this.independence.statusChanges(tx, tenantId, since, [...new Set([...concerned, ...substituteIds])]);
  }

  /** Why the step is no longer what it was when the approval was requested, or null. */
  async findStepChange(tx: Tx, approval: Approval): Promise<string | null> {
    const { tenantId, stepName, tier, approverGroupId, quorum, escalationGroupId, escalatesAfterSeconds } = approval;
    const step = await this.steps.find(tx, tenantId, stepName);
    const isSame =
      step?.tier === tier &&
      step.approverGroupId === approverGroupId &&
      step.quorum === quorum &&
      step.requiresPasskey === approval.requiresPasskey &&
      step.escalationGroupId === escalationGroupId &&
      (step.escalatesAfterSeconds === null) === (escalatesAfterSeconds === null);
    return isSame ? null : `The approval step "${stepName}" was changed.`;
  }
}

const groupIdsOf = (approvals: readonly NewApproval[]): (string | null)[] =>
  approvals.flatMap(({ approverGroupId, escalationGroupId, escalatesAfterSeconds }) =>
    escalatesAfterSeconds === null ? [approverGroupId] : [approverGroupId, escalationGroupId],
  );

/** All steps of the calls that need several. */
async function listStepsOfCalls(tx: Tx, approvals: readonly (NewApproval & Partial<Approval>)[]): Promise<Approval[]> {
  const [{ tenantId }] = approvals;
  const callIds = approvals.flatMap(({ callId, stepCount, deciders }) => (deciders && stepCount > 1 ? [callId] : []));
  return callIds.length ? tx.findBy(Approval, { tenantId, callId: In([...new Set(callIds)]) }) : [];
}
