import type { Policy } from './policy.js';

export interface Verdict {
  verdict: 'allow' | 'deny' | 'approval';
  steps: string[];
  policyIds: string[];
  /** For people. */
  reason: string;
  /** Why nothing could be decided; for the operator's log. */
  trouble?: string;
}

export const denyVerdict = (reason: string, policyIds: string[] = [], trouble?: string): Verdict => ({
  verdict: 'deny',
  steps: [],
  policyIds,
  reason,
  trouble,
});

/**
 * A forbid denies. Otherwise, all approval steps that the permits name are required. Otherwise, a permit allows.
 * Without any permit, the verdict is deny.
 */
export function verdictOf(decision: 'allow' | 'deny', determining: readonly Policy[]): Verdict {
  const policyIds = determining.map(({ id }) => id);
  if (decision === 'deny')
    return denyVerdict(
      policyIds.length ? `The policy ${quoteNames(policyIds)} forbids this.` : 'No policy permits this.',
      policyIds,
    );
  const steps = [...new Set(determining.flatMap(({ step }) => step ?? []))];
  if (!steps.length)
    return { verdict: 'allow', steps, policyIds, reason: `The policy ${quoteNames(policyIds)} permits this.` };
  const approvalPolicyIds = determining.filter(({ step }) => step !== null).map(({ id }) => id);
  return {
    verdict: 'approval',
    steps,
    policyIds,
    reason: `The policy ${quoteNames(approvalPolicyIds)} requires the approval ${quoteNames(steps)}.`,
  };
}

export const quoteNames = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
