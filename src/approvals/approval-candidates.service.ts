import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import type { IntroductionKind } from '../access/independence/independence.service.js';
import { Member } from '../access/member.entity.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import type { Approval } from './approval.entity.js';
import {
  ApprovalEligibilityService,
  type ApprovalAssessment,
  type NewApproval,
  remainingDecidersOf,
} from './approval-eligibility.service.js';
import { eligibleDeciders } from './tier.js';

const maxCandidates = 50;
type MemberNames = ReadonlyMap<string, string>;
type IneligibilityReason = Pick<ApprovalCandidate, 'reason' | 'nextStep'>;

/** Why somebody may not decide, in words for people who may see the approval. */
@Injectable()
export class ApprovalCandidatesService {
  constructor(private readonly approvalEligibility: ApprovalEligibilityService) {}

  /** For each of these approvals of one tenant, in their order: everybody whom the step names, those who may decide first. */
  async candidatesOfEach(tx: EntityManager, viewed: readonly ViewedApproval[]): Promise<ApprovalCandidate[][]> {
    const assessments = await this.approvalEligibility.assessStored(
      tx,
      viewed.map(({ approval }) => approval),
    );
    const shown = assessments.map((one, nth) => {
      const { approval, viewerId } = viewed[nth];
      return { ...candidateListingOf(one, remainingDecidersOf(approval, one)), viewerId };
    });
    return this.toCandidates(tx, shown);
  }

  /** The same of approvals that would be requested now. */
  async candidatesOfNew(tx: EntityManager, newApprovals: readonly NewApproval[]): Promise<ApprovalCandidate[][]> {
    const assessments = await this.approvalEligibility.assessNew(tx, newApprovals);
    const shown = assessments.map((one) => candidateListingOf(one, eligibleDeciders(one)));
    return this.toCandidates(tx, shown);
  }

  /** Why this member may not decide. */
  async explainIneligibility(tx: EntityManager, approval: Approval, memberId: string): Promise<string> {
    const [judged] = await this.approvalEligibility.assessStored(tx, [approval]);
    const { reason, nextStep } = ineligibilityReason(judged, memberId, await this.loadNames(tx, [judged], []), true);
    return [reason, nextStep].filter((sentence) => sentence !== null).join(' ');
  }

  private async toCandidates(tx: EntityManager, shown: readonly CandidateListing[]): Promise<ApprovalCandidate[][]> {
    const names = await this.loadNames(
      tx,
      shown.map(({ assessment }) => assessment),
      shown.flatMap(({ ids }) => ids),
    );
    return shown.map(({ assessment, able, ids, viewerId }) =>
      ids.map((id) => ({
        id,
        name: names.get(id) ?? null,
        mayDecide: able.includes(id),
        ...(able.includes(id)
          ? { reason: null, nextStep: null }
          : ineligibilityReason(assessment, id, names, id === viewerId)),
      })),
    );
  }

  private async loadNames(
    tx: EntityManager,
    judged: readonly ApprovalAssessment[],
    more: readonly string[],
  ): Promise<MemberNames> {
    const [{ approval }] = judged;
    const ids = new Set([...judged.flatMap(({ requesters, acting }) => [...requesters, ...acting]), ...more]);
    const members = await tx.findBy(Member, { tenantId: approval.tenantId, id: In([...ids]) });
    return new Map(members.map(({ id, name }) => [id, name]));
  }
}

interface ViewedApproval {
  approval: Approval;
  /** The reasons address this member as "you". */
  viewerId: string;
}

/** Whom the page names, and who of them may decide. */
interface CandidateListing {
  viewerId?: string;
  assessment: ApprovalAssessment;
  able: readonly string[];
  ids: string[];
}

function candidateListingOf(judged: ApprovalAssessment, able: readonly string[]): CandidateListing {
  const { approval, group, tier, byAgent, answerableId } = judged;
  const isOwn = tier === 'confirm' && !byAgent;
  const named = isOwn ? [answerableId ?? []].flat() : group.map(({ id }) => id);
  return {
    assessment: judged,
    able,
    ids: [...new Set([...able, ...(approval.deciders ?? []), ...named])].slice(0, maxCandidates),
  };
}

/** About somebody else, the reason follows their name: "Requested this call." To the viewer, it says "You requested this call." */
function ineligibilityReason(
  assessment: ApprovalAssessment,
  id: string,
  names: MemberNames,
  isViewer: boolean,
): IneligibilityReason {
  const { tier, byAgent, answerableId, group, requesters, approval } = assessment;
  const because = (theirs: string, yours = `You ${theirs[0].toLowerCase()}${theirs.slice(1)}`) =>
    isViewer ? yours : theirs;
  if (tier === 'confirm' && !byAgent)
    return { reason: `Only ${nameOf(names, answerableId)} confirms this call.`, nextStep: null };
  if (requesters.includes(id)) return { reason: because(...requesterReason(assessment, id, names)), nextStep: null };
  const membership = group.find((one) => one.id === id);
  if (!membership)
    return {
      reason: because('Is not an active approver of this step.', 'You are not an active approver of this step.'),
      nextStep: null,
    };
  if (membership.since >= approval.createdAt)
    return { reason: because('Became an approver after the call was requested.'), nextStep: requestAgain };
  if (!assessment.isIndependent(id)) return dependentReason(assessment, id, names, isViewer);
  return { reason: because('Could not decide when the call was requested.'), nextStep: requestAgain };
}

/** The reason about somebody else, and to the viewer where that needs more than "You …". */
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

function dependentReason(
  { requesters, independence }: ApprovalAssessment,
  id: string,
  names: MemberNames,
  isViewer: boolean,
): IneligibilityReason {
  const suspect = requesters.find((requester) => independence.couldUse(requester, id))!;
  const who = nameOf(names, suspect);
  return {
    reason: isViewer
      ? `You depend on ${who}, who is a requester: nobody independent of ${who} has vouched for you.`
      : `Depends on ${who}, who is a requester: nobody independent of ${who} has vouched for them.`,
    nextStep: `A member who does not depend on ${who}, or the operator of the server, can vouch for ${isViewer ? 'you' : 'them'}. ${requestAgain}`,
  };
}

const requestAgain = 'The call then has to be requested again.';
const nameOf = (names: MemberNames, id: string | null): string => (id && names.get(id)) ?? 'somebody who left';
const introductionTexts: Record<IntroductionKind, (name: string) => string> = {
  invitation: (name) => `Invited ${name}`,
  reset: (name) => `Reset the password of ${name}`,
  provider: (name) => `Configured a sign-in provider of ${name}`,
  reactivation: (name) => `Reactivated ${name}`,
};
