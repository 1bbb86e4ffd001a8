import type { Independence } from '../access/independence/independence.service.js';
import type { Approver } from '../access/members.service.js';
import type { Voter } from './approval-state.js';
import type { Approval } from './approval.entity.js';
import { type AssessedPasskey, usablePasskeys } from './counting-passkeys.js';
import type { Substitution } from './substitution.entity.js';
import { type EligibilityFacts, eligibleDeciders, isSelfApproved, remainingDeciders } from './tier.js';

/** An approval before it is requested: its deciders are not stored yet. */
export type NewApproval = Omit<
  Approval,
  'deciders' | 'escalationDeciders' | 'substitutionIds' | 'passkeyIds' | 'selfApproved'
>;

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
  /** The same of substitutes who lack only a passkey that counts. */
  substitutionsWithoutPasskey: readonly Substitution[];
  /** The members of the escalation group, before the escalation too. */
  escalationApprovers: readonly string[];
  /** All passkeys of the members above. Null: the step requires none. */
  passkeys: readonly AssessedPasskey[] | null;
}

/** Who could decide on a new approval before or after its escalation. The quorum is counted over all of them. */
export const possibleDecidersOfNew = (assessment: ApprovalAssessment): string[] => [
  ...new Set([...eligibleDeciders(assessment), ...eligibleAfterEscalation(assessment)]),
];

const eligibleAfterEscalation = (assessment: ApprovalAssessment): string[] =>
  assessment.approval.escalatesAfterSeconds === null
    ? []
    : eligibleDeciders({ ...assessment, approvers: assessment.escalationApprovers });

/** The members who can decide on a new approval, in the form that is stored with it. No one is added later. */
export function toStoredEligibility(
  assessment: ApprovalAssessment,
): Pick<Approval, 'requesters' | Exclude<keyof Approval, keyof NewApproval>> {
  const { approval, requesters, substitutions, substitutionsWithoutPasskey, passkeys } = assessment;
  const all = possibleDecidersOfNew(assessment);
  // substitutes who lack only a passkey can see the approval and why they cannot decide
  const substitutionIds = [...substitutions, ...substitutionsWithoutPasskey]
    .filter(({ memberId, startsAt }) => all.includes(memberId) && startsAt < approval.expiresAt)
    .map(({ id }) => id);
  const signers = new Set([...all, ...substitutions.map(({ substituteId }) => substituteId)]);
  return {
    requesters: [...requesters],
    deciders: eligibleDeciders(assessment),
    escalationDeciders: eligibleAfterEscalation(assessment),
    substitutionIds,
    passkeyIds: (passkeys ?? []).flatMap(({ id, memberId }) => (signers.has(memberId) ? [id] : [])),
    selfApproved: isSelfApproved(all, assessment),
  };
}

/** The members who can decide, each for themselves or in place of another one. */
export const votersOf = (approval: Approval, assessment: ApprovalAssessment): Voter[] =>
  votersForEach(remainingDecidersOf(approval, assessment), assessment.substitutions).filter(
    (voter) => !repeatsVote(voter, assessment.votesOnOtherSteps),
  );

/** Whether the member approved another step, and one of the two votes is in place of another member. */
export const repeatsVote = ({ memberId, approverId }: Voter, votesOnOtherSteps: readonly Voter[]): boolean =>
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

export const votersForEach = (approverIds: readonly string[], substitutions: readonly Substitution[]): Voter[] => [
  ...approverIds.map((id) => ({ memberId: id, approverId: id })),
  ...substitutions
    .filter(({ memberId }) => approverIds.includes(memberId))
    .map(({ substituteId, memberId }) => ({ memberId: substituteId, approverId: memberId })),
];

const remainingDecidersOf = (approval: Approval, assessment: ApprovalAssessment): string[] =>
  remainingDeciders(activeDeciders(approval), { ...assessment, needsIndependence: !approval.selfApproved });

/** The passkeys with which this member can decide. None if the member cannot decide. */
export function usablePasskeysOf(
  approval: Approval,
  assessment: ApprovalAssessment,
  memberId: string,
): AssessedPasskey[] {
  const canDecide = votersOf(approval, assessment).some((voter) => voter.memberId === memberId);
  if (!canDecide || !assessment.passkeys) return [];
  const needsIndependence = approval.tier === 'review' || !approval.selfApproved;
  return usablePasskeys(assessment.passkeys, memberId, { needsIndependence });
}

/** The stored deciders; after the escalation, those of the escalation group too. */
const activeDeciders = ({ deciders, escalationDeciders, escalatedAt }: Approval): string[] =>
  escalatedAt === null ? deciders : [...new Set([...deciders, ...escalationDeciders])];
