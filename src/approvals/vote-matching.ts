/** A member who can decide now, and the approver whose vote they give: themselves, or the one whom they substitute. */
export interface Voter {
  memberId: string;
  approverId: string;
}

/** How many votes are possible at most, if each member gives one and each approver's vote is given once. */
export function maxVotes(voters: readonly Voter[]): number {
  const memberOf = new Map<string, string>();
  const assign = (memberId: string, tried: Set<string>): boolean =>
    voters.some(({ memberId: of, approverId }) => {
      if (of !== memberId || tried.has(approverId)) return false;
      tried.add(approverId);
      const other = memberOf.get(approverId);
      if (other !== undefined && !assign(other, tried)) return false;
      memberOf.set(approverId, memberId);
      return true;
    });
  const members = new Set(voters.map(({ memberId }) => memberId));
  return [...members].filter((memberId) => assign(memberId, new Set())).length;
}

/**
 * Which of these approvers' votes a member gives: the one that leaves the most votes to the others, first to those who
 * have no substitute and are therefore present. If several do, the first one.
 */
export function chooseVote(
  approverIds: readonly string[],
  others: readonly Voter[],
  replaced: ReadonlySet<string>,
): string | null {
  if (approverIds.length < 2) return approverIds.at(0) ?? null;
  const votesLeft = approverIds.map((approverId) => {
    const rest = others.filter((one) => one.approverId !== approverId);
    return { approverId, present: maxVotes(rest.filter((one) => !replaced.has(one.memberId))), all: maxVotes(rest) };
  });
  return votesLeft.reduce((best, one) =>
    one.present > best.present || (one.present === best.present && one.all > best.all) ? one : best,
  ).approverId;
}
