export type Tier = 'confirm' | 'review';

export interface EligibilityFacts {
  tier: Tier;
  /** The call is an agent identity's, not a person's. */
  byAgent: boolean;
  /** The acting person; for an agent identity the member responsible for it. Null if that member is not active. */
  answerableId: string | null;
  /** Everybody answerable for the call, or able to use the account of somebody who is. */
  requesters: readonly string[];
  /** Active members of the step's group whose membership is older than the request. */
  approvers: readonly string[];
  /** No requester could use this member's account. */
  isIndependent: (memberId: string) => boolean;
  /** The tenant has a single active member. */
  hasSingleMember: boolean;
}

/**
 * Who may decide a call that is requested now. In review it is somebody independent of every requester, without exception. To
 * confirm is for the acting person; for an agent identity it is for somebody else, independent if there is anybody, unless the
 * tenant has a single person.
 */
export function eligibleDeciders({
  tier,
  byAgent,
  answerableId,
  hasSingleMember,
  ...candidates
}: EligibilityFacts): string[] {
  const { others, independent } = splitByIndependence(candidates);
  if (tier === 'review') return independent;
  if (byAgent && !hasSingleMember) return independent.length ? independent : others;
  return answerableId === null ? [] : [answerableId];
}

/** Of those who could decide when the call was requested, who still can: never anybody else. */
export function remainingDeciders(
  stored: readonly string[],
  { needsIndependence, ...candidates }: EligibilityFacts & { needsIndependence: boolean },
): string[] {
  const { tier, byAgent, answerableId, hasSingleMember } = candidates;
  const { others, independent } = splitByIndependence(candidates);
  const isForOthers = tier === 'review' || (byAgent && !hasSingleMember);
  const now = !isForOthers ? [answerableId] : tier === 'review' || needsIndependence ? independent : others;
  return stored.filter((id) => now.includes(id));
}

/** The second signature is missing: everybody who could give it is, or could be, one who asked for the call. */
export const isSelfApproved = (
  deciders: readonly string[],
  { requesters, isIndependent }: Pick<EligibilityFacts, 'requesters' | 'isIndependent'>,
): boolean => deciders.every((id) => requesters.includes(id) || !isIndependent(id));

function splitByIndependence({
  approvers,
  requesters,
  isIndependent,
}: Pick<EligibilityFacts, 'approvers' | 'requesters' | 'isIndependent'>) {
  const others = approvers.filter((id) => !requesters.includes(id));
  return { others, independent: others.filter(isIndependent) };
}
