import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import type { Problem } from '../platform/errors/problem.js';
import type { IntroductionKind } from '../access/independence/independence.service.js';
import { Member } from '../access/member.entity.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import type { Approval } from './approval.entity.js';
import { notYoursToDecide, undecidable } from './approvals.error.js';
import {
  type ApprovalAssessment,
  isExcludedByVote,
  type NewApproval,
  possibleDecidersOfNew,
  votersOf,
} from './approval-assessment.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { hasPasskey } from './counting-passkeys.js';
import { type ActionRefusal, membersWhoCanApprove, type Voter, votesOf } from './approval-state.js';

const maxCandidates = 50;
type MemberNames = ReadonlyMap<string, string>;
type IneligibilityReason = Pick<ApprovalCandidate, 'reason' | 'nextStep'> & { needsPasskey?: boolean };

/** Explains who can decide on an approval and why others cannot, for people who can see it. */
@Injectable()
export class ApprovalCandidatesService {
  constructor(private readonly approvalEligibility: ApprovalEligibilityService) {}

  /** For each approval of one tenant, in their order: everyone named by the step, eligible members first. */
  async candidatesOfEach(tx: Tx, viewed: readonly ViewedApproval[]): Promise<ApprovalCandidate[][]> {
    const assessments = await this.approvalEligibility.assessStored(
      tx,
      viewed.map(({ approval }) => approval),
    );
    const shown = assessments.map((one, nth) => {
      const { approval, viewerId } = viewed[nth];
      const voters = votersOf(approval, one);
      return { ...candidateListingOf(one, membersWhoCanApprove(approval, voters), voters), viewerId };
    });
    return this.toCandidates(tx, shown);
  }

  /** The same for approvals that would be requested now. */
  async candidatesOfNew(tx: Tx, newApprovals: readonly NewApproval[]): Promise<ApprovalCandidate[][]> {
    const assessments = await this.approvalEligibility.assessNew(tx, newApprovals);
    const shown = assessments.map((one) => candidateListingOf(one, possibleDecidersOfNew(one), []));
    return this.toCandidates(tx, shown);
  }

  /** Why this member cannot decide. */
  async explainIneligibility(tx: Tx, approval: Approval, memberId: string): Promise<string> {
    const [assessment] = await this.approvalEligibility.assessStored(tx, [approval]);
    const names = await this.loadNames(tx, [assessment], [...approval.approvedBy, ...approval.approvedFor]);
    const voters = votersOf(approval, assessment);
    const { reason, nextStep } = ineligibilityReason({ assessment, voters }, memberId, names, true);
    return [reason, nextStep].filter((sentence) => sentence !== null).join(' ');
  }

  /** Why the action is not possible, as an error. */
  async toProblem(tx: Tx, approval: Approval, memberId: string, refusal: ActionRefusal): Promise<Problem> {
    return refusal === 'vote-used' || refusal === 'not-a-decider'
      ? notYoursToDecide(await this.explainIneligibility(tx, approval, memberId))
      : undecidable(refusal, approval.state);
  }

  private async toCandidates(tx: Tx, shown: readonly CandidateListing[]): Promise<ApprovalCandidate[][]> {
    const names = await this.loadNames(
      tx,
      shown.map(({ assessment }) => assessment),
      shown.flatMap(({ ids, assessment: { approval } }) => [...ids, ...approval.approvedBy, ...approval.approvedFor]),
    );
    return shown.map(({ assessment, able, ids, voters, viewerId }) =>
      ids.map((id) => ({
        id,
        name: names.get(id) ?? null,
        substituteFor: substitutedNames(voters, id, names),
        mayDecide: able.includes(id),
        needsPasskey: false,
        ...(able.includes(id)
          ? { reason: null, nextStep: null }
          : ineligibilityReason({ assessment, voters }, id, names, id === viewerId)),
      })),
    );
  }

  private async loadNames(
    tx: Tx,
    assessments: readonly ApprovalAssessment[],
    more: readonly string[],
  ): Promise<MemberNames> {
    const [{ approval }] = assessments;
    const ids = new Set([...assessments.flatMap(({ requesters, acting }) => [...requesters, ...acting]), ...more]);
    const members = await tx.findBy(Member, { tenantId: approval.tenantId, id: In([...ids]) });
    return new Map(members.map(({ id, name }) => [id, name]));
  }
}

interface ViewedApproval {
  approval: Approval;
  /** The reasons address this member as "you". */
  viewerId: string;
}

/** The members that the page lists, and the eligible ones among them. */
interface CandidateListing {
  viewerId?: string;
  assessment: ApprovalAssessment;
  able: readonly string[];
  voters: readonly Voter[];
  ids: string[];
}

function candidateListingOf(
  assessment: ApprovalAssessment,
  able: readonly string[],
  voters: readonly Voter[],
): CandidateListing {
  const { approval, group, tier, byAgent } = assessment;
  const isOwn = tier === 'confirm' && !byAgent;
  const named = isOwn ? [approval.responsibleId ?? []].flat() : group.map(({ id }) => id);
  return {
    assessment,
    able,
    voters,
    ids: [
      ...new Set([
        ...able,
        ...voters.map(({ memberId }) => memberId),
        ...(approval.deciders ?? []),
        ...(approval.escalatedAt ? (approval.escalationDeciders ?? []) : []),
        ...named,
        ...assessment.substitutionsWithoutPasskey.map(({ substituteId }) => substituteId),
      ]),
    ].slice(0, maxCandidates),
  };
}

/**
 * For another member, the reason follows their name: "Requested this call." For the viewer: "You requested this call."
 */
function ineligibilityReason(
  { assessment, voters }: Pick<CandidateListing, 'assessment' | 'voters'>,
  id: string,
  names: MemberNames,
  isViewer: boolean,
): IneligibilityReason {
  const { tier, byAgent, group, requesters, approval } = assessment;
  const because = (theirs: string, yours = `You ${theirs[0].toLowerCase()}${theirs.slice(1)}`) =>
    isViewer ? yours : theirs;
  const used = usedVote(approval, voters, id);
  if (used) return { reason: because(...usedVoteReason(used, id, names)), nextStep: null };
  if (isExcludedByVote(assessment, id))
    return {
      reason: because('Approved another step of this call.'),
      nextStep: 'A substitute cannot approve two steps of a call.',
    };
  if (tier === 'confirm' && !byAgent && id !== approval.responsibleId)
    return { reason: `Only ${nameOf(names, approval.responsibleId)} can confirm this call.`, nextStep: null };
  if (tier === 'confirm' && !byAgent) return passkeyReason(assessment, id, names, isViewer) ?? notThen(because);
  if (requesters.includes(id)) return { reason: because(...requesterReason(assessment, id, names)), nextStep: null };
  const isSubstitute = assessment.substitutionsWithoutPasskey.some(({ substituteId }) => substituteId === id);
  if (isSubstitute) return passkeyReason(assessment, id, names, isViewer) ?? notThen(because);
  const membership = group.find((one) => one.id === id);
  if (!membership)
    return {
      reason: because('Is not an active approver of this step.', 'You are not an active approver of this step.'),
      nextStep: null,
    };
  if (membership.since >= approval.createdAt)
    return { reason: because('Became an approver after the call was requested.'), nextStep: requestAgain };
  const suspect = findSuspect(assessment, id);
  // in tier "confirm", a dependent member can decide if no one else can
  const isSuspectDecisive = tier === 'review' || hasPasskey(assessment.passkeys, id, { needsIndependence: false });
  if (suspect && isSuspectDecisive) return dependentReason(nameOf(names, suspect), isViewer);
  return passkeyReason(assessment, id, names, isViewer) ?? notThen(because);
}

const notThen = (because: (theirs: string) => string): IneligibilityReason => ({
  reason: because('Could not decide when the call was requested.'),
  nextStep: requestAgain,
});

/** A requester who could use the account of this member. */
const findSuspect = ({ requesters, independence, acceptsIntroduced }: ApprovalAssessment, id: string) =>
  acceptsIntroduced ? undefined : requesters.find((requester) => independence.couldUse(requester, id));

/** Null if the member has a passkey that counts, or the step requires none. */
function passkeyReason(
  { approval, passkeys, requesters, independence }: ApprovalAssessment,
  id: string,
  names: MemberNames,
  isViewer: boolean,
): IneligibilityReason | null {
  if (!passkeys || hasPasskey(passkeys, id, { needsIndependence: true })) return null;
  const own = passkeys.filter(({ memberId }) => memberId === id);
  if (!own.length)
    return {
      reason: `${isViewer ? 'You have' : 'Has'} no passkey, and this step requires one.`,
      nextStep: `${isViewer ? 'Add a passkey on your account page.' : 'They can add a passkey on their account page.'} ${requestAgain}`,
      needsPasskey: true,
    };
  if (approval.selfApproved || own.some(({ isIndependent }) => isIndependent))
    return {
      reason: isViewer
        ? 'You added your passkey after the call was requested.'
        : 'Added a passkey after the call was requested.',
      nextStep: requestAgain,
    };
  const suspect = requesters.find((requester) =>
    own.some(({ registeredAt }) => independence.couldUse(requester, id, registeredAt)),
  );
  const who = nameOf(names, suspect ?? null);
  return {
    reason: isViewer
      ? `Your passkey was added when ${who}, who is a requester, could have used your account.`
      : `Has a passkey that was added when ${who}, who is a requester, could have used the account.`,
    nextStep: `${isViewer ? 'Remove the passkey and add it again.' : 'They can remove the passkey and add it again.'} ${requestAgain}`,
    needsPasskey: true,
  };
}

/** The vote that the member has given, or that was given in place of the member or of an approver whom they substitute. */
function usedVote(approval: NewApproval, voters: readonly Voter[], id: string): Voter | undefined {
  const votes = votesOf(approval);
  const approverIds = voters.flatMap(({ memberId, approverId }) => (memberId === id ? [approverId] : []));
  return (
    votes.find(({ memberId }) => memberId === id) ?? votes.find(({ approverId }) => approverIds.includes(approverId))
  );
}

function usedVoteReason(
  { memberId, approverId }: Voter,
  id: string,
  names: MemberNames,
): [theirs: string, yours?: string] {
  const place = memberId === approverId ? '' : ` in place of ${nameOf(names, approverId)}`;
  if (memberId === id) return [`Approved this call${place}.`];
  const by = nameOf(names, memberId);
  return approverId === id
    ? [`Was replaced: ${by} approved this call.`, `${by} approved this call in your place.`]
    : [`Is a substitute, but ${by} approved this call.`, `You are a substitute, but ${by} approved this call.`];
}

/** Whom the member substitutes, unless they are an approver themselves. */
function substitutedNames(voters: readonly Voter[], id: string, names: MemberNames): string | null {
  const approverIds = voters.flatMap(({ memberId, approverId }) => (memberId === id ? [approverId] : []));
  if (!approverIds.length || approverIds.includes(id)) return null;
  return approverIds.map((approverId) => nameOf(names, approverId)).join(', ');
}

/** The reason for another member, and the one for the viewer if prefixing "You" is not enough. */
function requesterReason(
  { acting, statusChangers, independence }: ApprovalAssessment,
  id: string,
  names: MemberNames,
): [theirs: string, yours?: string] {
  const credentials = 'a key of the agent, or the registration or a secret of the product';
  if (acting.includes(id))
    return [
      `Requested this call, is responsible for the agent, or knows a credential that was used (${credentials}).`,
      `You requested this call, are responsible for the agent, or know a credential that was used (${credentials}).`,
    ];
  for (const one of acting)
    for (const { by, kind } of independence.introductionsOf(one))
      if (by === id)
        return [
          `${introductionTexts[kind](nameOf(names, one))}, who is a requester, and could have used that account.`,
        ];
  if (statusChangers.includes(id))
    return ['Suspended, reactivated or removed a requester or an approver after the call was requested.'];
  return ['Could have used the account of a requester.'];
}

function dependentReason(who: string, isViewer: boolean): IneligibilityReason {
  return {
    reason: isViewer
      ? `You depend on ${who}, who is a requester: no one independent of ${who} has vouched for you.`
      : `Depends on ${who}, who is a requester: no one independent of ${who} has vouched for them.`,
    nextStep: `A member who does not depend on ${who}, or the operator of the server, can vouch for ${isViewer ? 'you' : 'them'}. ${requestAgain}`,
  };
}

const requestAgain = 'The call then has to be requested again.';
const nameOf = (names: MemberNames, id: string | null): string => (id && names.get(id)) ?? 'a former member';
const introductionTexts: Record<IntroductionKind, (name: string) => string> = {
  invitation: (name) => `Invited ${name}`,
  reset: (name) => `Reset the password of ${name}`,
  provider: (name) => `Configured a sign-in provider of ${name}`,
  reactivation: (name) => `Reactivated ${name}`,
};
