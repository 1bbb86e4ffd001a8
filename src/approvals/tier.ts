export type Tier = 'confirm' | 'review';

export interface Deciders {
  tier: Tier;
  /** The call is an agent identity's, not a person's. */
  byAgent: boolean;
  /** The acting person; for an agent identity the member responsible for it. Null where that member is not active. */
  answerableId: string | null;
  /** Everybody answerable for the call, and who is perhaps one person with them since a password was made anew. */
  requesters: readonly string[];
  /** Whom somebody of these invited a moment ago. */
  invited: readonly string[];
  /** Active members of the step's group whose membership is older than the request. */
  approvers: readonly string[];
  /** The tenant has a single active member. */
  isAlone: boolean;
}

/**
 * Who may decide. In review no requester ever does, administrators included; whom a requester has just invited does only where
 * there is nobody else. To confirm is for the acting person; for an agent identity it is for somebody else, unless the tenant
 * has a single person.
 */
export function mayDecide({
  tier,
  byAgent,
  answerableId,
  requesters,
  invited,
  approvers,
  isAlone,
}: Deciders): string[] {
  const others = approvers.filter((id) => !requesters.includes(id));
  const known = others.filter((id) => !invited.includes(id));
  if (tier === 'review' || (byAgent && !isAlone)) return known.length ? known : others;
  return answerableId === null ? [] : [answerableId];
}

/** The second signature is missing where the only people who could give it asked for the call themselves. */
export const isNotFourEyes = (deciders: readonly string[], requesters: readonly string[]): boolean =>
  deciders.every((id) => requesters.includes(id));
