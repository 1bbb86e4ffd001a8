import { describe, expect, it } from 'vitest';
import type { PolicyDecision } from '../policies/decisions.service.js';
import { narrowDecision, strictestVerdict } from './narrowing.js';

const decision = (verdict: PolicyDecision['verdict'], ...steps: string[]): PolicyDecision => ({
  verdict,
  steps,
  policyIds: [`${verdict} policy`],
  revision: 7,
  reason: `it is ${verdict}`,
});
const above = (id: string, ...rest: Parameters<typeof decision>) => ({ configurationId: id, ...decision(...rest) });

describe('the decision on a delegated call', () => {
  it('has the strictest verdict', () => {
    expect(narrowDecision(decision('allow'), [above('a', 'allow')]).verdict).toBe('allow');
    expect(narrowDecision(decision('allow'), [above('a', 'approval', 'one')])).toMatchObject({
      verdict: 'approval',
      steps: ['one'],
      reason: 'it is approval',
    });
    expect(narrowDecision(decision('approval', 'one'), [above('a', 'deny')])).toMatchObject({
      verdict: 'deny',
      steps: [],
    });
    expect(narrowDecision(decision('deny'), [above('a', 'allow')]).verdict).toBe('deny');
  });

  it('requires the approval steps of all decisions, each once', () => {
    const steps = narrowDecision(decision('approval', 'one', 'two'), [above('a', 'approval', 'two', 'three')]).steps;
    expect(steps).toEqual(['one', 'two', 'three']);
  });

  it('names the delegating configurations with their policies and revisions', () => {
    expect(narrowDecision(decision('allow'), []).narrowedBy).toBeNull();
    expect(narrowDecision(decision('allow'), [above('a', 'allow')]).narrowedBy).toEqual([
      { configurationId: 'a', policyIds: ['allow policy'], revision: 7 },
    ]);
  });

  it('has the strictest of several possible verdicts', () => {
    expect(strictestVerdict(['allow', 'approval', 'allow'])).toBe('approval');
    expect(strictestVerdict(['approval', 'deny', 'allow'])).toBe('deny');
  });
});
