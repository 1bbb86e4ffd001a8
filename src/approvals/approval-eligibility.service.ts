import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { type Independence, IndependenceService } from '../access/independence/independence.service.js';
import { IntroducedReviewersService } from '../access/administration/introduced-reviewers.service.js';
import { type Approver, MembersService } from '../access/members.service.js';
import { countingVotes, type Voter, votesOf } from './approval-state.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { Approval } from './approval.entity.js';
import type { Substitution } from './substitution.entity.js';
import { activeSubstitutions, openSubstitutionsOf } from './substitutions.sql.js';
import { type EligibilityFacts, eligibleDeciders, isSelfApproved, remainingDeciders } from './tier.js';

/**
 * The members who act in the calls of these approvals, in their order: the person or the member responsible for the
 * agent, the chain, and everyone who knows a credential that was used. The set can grow: a member may reveal a key of
 * the agent after the request.
 */
export type RequestersSource = (tx: Tx, approvals: readonly Approval[]) => Promise<string[][]>;
/** Why the call would no longer run as requested, or null. */
export type CallRevalidator = (tx: Tx, approval: Approval) => Promise<string | null>;

/** An approval before it is requested: its deciders are not stored yet. */
export type NewApproval = Omit<Approval, 'deciders' | 'escalationDeciders' | 'substitutionIds' | 'selfApproved'>;

/** The facts about who can decide on an approval now. */
export interface ApprovalAssessment extends EligibilityFacts {
  approval: NewApproval & Partial<Approval>;
  /** Members who act in the call or know a credential that was used. */
  acting: string[];
  /** Members who suspended or reactivated a requester or an approver since the call was requested. */
  statusChangers: string[];
  independence: Independence;
  /** Two administrators accept reviewers whom a requester introduced. */
  acceptsIntroduced: boolean;
  /** All active members of the groups whose members can decide, including those who joined later. */
  group: readonly Approver[];
  /** The votes on the other steps of the call. */
  votesOnOtherSteps: readonly Voter[];
  /** Substitutions whose substitute can decide. New approvals: also those that begin later. */
  substitutions: readonly Substitution[];
  /** The members of the escalation group, before the escalation too. */
  escalationApprovers: readonly string[];
}

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
  ) {}

  registerCallSources(loadRequesters: RequestersSource, revalidateCall: CallRevalidator): void {
    this.loadRequesters = loadRequesters;
    this.revalidateCall = revalidateCall;
  }

  /** Before a decision: until the transaction ends, no account, membership or credential changes. */
  blockAccessChanges(tx: Tx, tenantId: string): Promise<void> {
    return this.changes.blockChanges(tx, tenantId);
  }

  /** Who can decide on a call that is requested now. Stored with the approval, because no one is added later. */
  async assessRequest(
    tx: Tx,
    approval: NewApproval,
  ): Promise<Pick<Approval, 'requesters' | 'deciders' | 'escalationDeciders' | 'substitutionIds' | 'selfApproved'>> {
    const [assessment] = await this.assessNew(tx, [approval]);
    const { requesters } = assessment;
    const deciders = eligibleDeciders(assessment);
    const escalationDeciders = eligibleAfterEscalation(assessment);
    const all = possibleDecidersOfNew(assessment);
    const substitutionIds = assessment.substitutions
      .filter(({ memberId, startsAt }) => all.includes(memberId) && startsAt < approval.expiresAt)
      .map(({ id }) => id);
    const selfApproved = isSelfApproved(all, assessment);
    return { requesters: [...requesters], deciders, escalationDeciders, substitutionIds, selfApproved };
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
    return counting.length === approval.approvedBy.length
      ? null
      : 'A member who approved this call can no longer decide on it.';
  }

  private async assess(
    tx: Tx,
    approvals: readonly (NewApproval & Partial<Approval>)[],
    actingNow: readonly string[][],
  ): Promise<ApprovalAssessment[]> {
    const [{ tenantId }] = approvals;
    const responsibleIds = approvals.flatMap(({ responsibleId }) => responsibleId ?? []);
    const groups = await this.approversByGroup(tx, tenantId, approvals);
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
    return approvals.map((approval, nth) => {
      const { tier, byAgent, responsibleId, createdAt, deciders = [], escalationDeciders = [] } = approval;
      const acting = actingNow[nth];
      const callRequesters = [...approval.requesters, ...independence.requesters(acting)];
      const possible = substitutions.filter(
        ({ id }) => !approval.substitutionIds || approval.substitutionIds.includes(id),
      );
      const substitutes = possible.map(({ substituteId }) => substituteId);
      const concerned = [...callRequesters, ...deciders, ...escalationDeciders, ...substitutes];
      const statusChangers = statusChanges
        .filter(({ memberId, at }) => at > createdAt && concerned.includes(memberId))
        .map(({ changedBy }) => changedBy);
      const requesters = [...new Set([...callRequesters, ...statusChangers])];
      const first = groups.get(approval.approverGroupId)!;
      const second = approval.escalatesAfterSeconds === null ? [] : groups.get(approval.escalationGroupId)!;
      const deciding = approval.escalatedAt === null ? first : [...first, ...second];
      const olderThanRequest = (members: readonly Approver[]) =>
        members.flatMap(({ id, since }) => (since < createdAt ? [id] : []));
      const isIndependent = (id: string) =>
        acceptsIntroduced ? !requesters.includes(id) : independence.isIndependent(id, requesters);
      return {
        approval,
        tier,
        byAgent,
        responsibleId: responsibleId !== null && active.has(responsibleId) ? responsibleId : null,
        requesters,
        approvers: olderThanRequest(deciding),
        escalationApprovers: olderThanRequest(second),
        isIndependent,
        // A requester must not choose who decides.
        substitutions: possible.filter(
          ({ substituteId, createdBy }) =>
            tier === 'review' &&
            active.has(substituteId) &&
            [substituteId, createdBy].every((id) => !requesters.includes(id) && isIndependent(id)),
        ),
        hasSingleMember,
        acting,
        statusChangers,
        independence,
        acceptsIntroduced,
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

  private async approversByGroup(tx: Tx, tenantId: string, approvals: readonly NewApproval[]) {
    const found = new Map<string | null, Approver[]>();
    const groupIds = approvals.flatMap(({ approverGroupId, escalationGroupId, escalatesAfterSeconds }) =>
      escalatesAfterSeconds === null ? [approverGroupId] : [approverGroupId, escalationGroupId],
    );
    for (const groupId of new Set(groupIds))
      found.set(groupId, await this.members.listApprovers(tx, tenantId, groupId));
    return found;
  }

  /** Why the step is no longer what it was when the approval was requested, or null. */
  async findStepChange(
    tx: Tx,
    { tenantId, stepName, tier, approverGroupId, quorum, escalationGroupId, escalatesAfterSeconds }: Approval,
  ): Promise<string | null> {
    const step = await this.steps.find(tx, tenantId, stepName);
    const isSame =
      step?.tier === tier &&
      step.approverGroupId === approverGroupId &&
      step.quorum === quorum &&
      step.escalationGroupId === escalationGroupId &&
      (step.escalatesAfterSeconds === null) === (escalatesAfterSeconds === null);
    return isSame ? null : `The approval step "${stepName}" was changed.`;
  }
}

/** Who could decide on a new approval before or after its escalation. The quorum is counted over all of them. */
export const possibleDecidersOfNew = (assessment: ApprovalAssessment): string[] => [
  ...new Set([...eligibleDeciders(assessment), ...eligibleAfterEscalation(assessment)]),
];

const eligibleAfterEscalation = (assessment: ApprovalAssessment): string[] =>
  assessment.approval.escalatesAfterSeconds === null
    ? []
    : eligibleDeciders({ ...assessment, approvers: assessment.escalationApprovers });

/** The members who can decide, each for themselves or in place of another one. */
export const votersOf = (approval: Approval, assessment: ApprovalAssessment): Voter[] =>
  votersForEach(remainingDecidersOf(approval, assessment), assessment.substitutions).filter(
    (voter) => !repeatsVote(voter, assessment.votesOnOtherSteps),
  );

/** Whether the member approved another step, and one of the two votes is in place of another member. */
const repeatsVote = ({ memberId, approverId }: Voter, votesOnOtherSteps: readonly Voter[]): boolean =>
  votesOnOtherSteps.some(
    (vote) => vote.memberId === memberId && (vote.approverId !== memberId || approverId !== memberId),
  );

/** Whether the member could decide if they had not approved another step. */
export const isExcludedByVote = (
  { approvers, substitutions, votesOnOtherSteps }: ApprovalAssessment,
  memberId: string,
): boolean =>
  votersForEach(approvers, substitutions).some(
    (voter) => voter.memberId === memberId && repeatsVote(voter, votesOnOtherSteps),
  );

const votersForEach = (approverIds: readonly string[], substitutions: readonly Substitution[]): Voter[] => [
  ...approverIds.map((id) => ({ memberId: id, approverId: id })),
  ...substitutions
    .filter(({ memberId }) => approverIds.includes(memberId))
    .map(({ substituteId, memberId }) => ({ memberId: substituteId, approverId: memberId })),
];

/** All steps of the calls that need several. */
async function listStepsOfCalls(tx: Tx, approvals: readonly (NewApproval & Partial<Approval>)[]): Promise<Approval[]> {
  const [{ tenantId }] = approvals;
  const callIds = approvals.flatMap(({ callId, stepCount, deciders }) => (deciders && stepCount > 1 ? [callId] : []));
  return callIds.length ? tx.findBy(Approval, { tenantId, callId: In([...new Set(callIds)]) }) : [];
}

const remainingDecidersOf = (approval: Approval, assessment: ApprovalAssessment): string[] =>
  remainingDeciders(activeDeciders(approval), { ...assessment, needsIndependence: !approval.selfApproved });

/** The stored deciders; after the escalation, those of the escalation group too. */
const activeDeciders = ({ deciders, escalationDeciders, escalatedAt }: Approval): string[] =>
  escalatedAt === null ? deciders : [...new Set([...deciders, ...escalationDeciders])];
