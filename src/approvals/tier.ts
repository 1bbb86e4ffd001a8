export type Tier = 'confirm' | 'review';

export interface EligibilityFacts {
  tier: Tier;
  /** An agent made the call, not a person. */
  byAgent: boolean;
  /** The acting person; for an agent, the member responsible for it. Null if that member is not active. */
  responsibleId: string | null;
  /** Everyone responsible for the call, and everyone who could use the account of a responsible member. */
  requesters: readonly string[];
  /** Active members of the step's group whose membership is older than the request. */
  approvers: readonly string[];
  /** True if no requester could use this member's account. */
  isIndependent: (memberId: string) => boolean;
  /** The tenant has a single active member. */
  hasSingleMember: boolean;
}

/**
 * Who can decide on a call that is requested now. Tier `review` always requires independence of every requester. In
 * tier `confirm`, the acting person confirms. For an agent, other members confirm, independent ones if there are any;
 * the responsible member confirms only if the tenant has a single member.
 */
export function eligibleDeciders({
  tier,
  byAgent,
  responsibleId,
  hasSingleMember,
  ...candidates
}: EligibilityFacts): string[] {
  const { others, independent } = splitByIndependence(candidates);
  if (tier === 'review') return independent;
  if (byAgent && !hasSingleMember) return independent.length ? independent : others;
  return responsibleId === null ? [] : [responsibleId];
}

/** The members among the stored deciders who can still decide. Never adds anyone. */
export function remainingDeciders(
  stored: readonly string[],
  { needsIndependence, ...candidates }: EligibilityFacts & { needsIndependence: boolean },
): string[] {
  const { tier, byAgent, responsibleId, hasSingleMember } = candidates;
  const { others, independent } = splitByIndependence(candidates);
  const isForOthers = tier === 'review' || (byAgent && !hasSingleMember);
  const now = !isForOthers ? [responsibleId] : tier === 'review' || needsIndependence ? independent : others;
  return stored.filter((id) => now.includes(id));
}

/** Whether a second, independent person is missing: every decider is, or could be, a requester. */
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
