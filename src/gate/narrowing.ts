import type { PolicyDecision } from '../policies/decisions.service.js';
import type { NarrowedBy } from './tool-call.entity.js';

type Verdict = PolicyDecision['verdict'];
const verdictWeights: Record<Verdict, number> = { allow: 0, approval: 1, deny: 2 };

/** The decision of a delegating configuration on a call of its delegate. */
export interface DelegatorDecision extends PolicyDecision {
  configurationId: string;
}

export interface NarrowedDecision extends PolicyDecision {
  narrowedBy: NarrowedBy[] | null;
}

/**
 * Prevents privilege escalation by delegation: the strictest verdict wins (deny, then approval, then allow), and the
 * approval steps of all decisions are required.
 */
export function narrowDecision(
  own: PolicyDecision,
  delegatorDecisions: readonly DelegatorDecision[],
): NarrowedDecision {
  const narrowedBy = delegatorDecisions.length
    ? delegatorDecisions.map(({ configurationId, policyIds, revision }) => ({ configurationId, policyIds, revision }))
    : null;
  const { verdict, reason } = [own, ...delegatorDecisions].reduce((one, other) =>
    isStricter(other, one) ? other : one,
  );
  const steps =
    verdict === 'approval' ? [...new Set([own, ...delegatorDecisions].flatMap((decision) => decision.steps))] : [];
  return { ...own, verdict, reason, steps, narrowedBy };
}

/** For the most permissive verdict that each configuration could give. */
export const strictestVerdict = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((one, other) => (verdictWeights[other] > verdictWeights[one] ? other : one));

const isStricter = (a: PolicyDecision, b: PolicyDecision) => verdictWeights[a.verdict] > verdictWeights[b.verdict];
