import type { Decision } from '../policies/decisions.service.js';
import type { NarrowedBy } from './tool-call.entity.js';

type Verdict = Decision['verdict'];
const weight: Record<Verdict, number> = { allow: 0, approval: 1, deny: 2 };

/** What a configuration that delegates decides about a call of one further down. */
export interface DecisionAbove extends Decision {
  configurationId: string;
}

export interface Narrowed extends Decision {
  narrowedBy: NarrowedBy[] | null;
}

/** Nobody gets done by another what they may not do themselves: a denial beats an approval beats leave, and steps are united. */
export function narrowed(own: Decision, above: readonly DecisionAbove[]): Narrowed {
  const narrowedBy = above.length
    ? above.map(({ configurationId, policyIds, revision }) => ({ configurationId, policyIds, revision }))
    : null;
  const { verdict, reason } = [own, ...above].reduce((one, other) => (stricter(other, one) ? other : one));
  const steps = verdict === 'approval' ? [...new Set([own, ...above].flatMap((decision) => decision.steps))] : [];
  return { ...own, verdict, reason, steps, narrowedBy };
}

/** Of what might be allowed at best. */
export const strictest = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.reduce((one, other) => (weight[other] > weight[one] ? other : one));

const stricter = (a: Decision, b: Decision) => weight[a.verdict] > weight[b.verdict];
