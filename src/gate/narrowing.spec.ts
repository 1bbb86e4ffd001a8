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

describe('what may be done for another', () => {
  it('is what both allow', () => {
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

  it('passes the steps of all, each once', () => {
    const steps = narrowDecision(decision('approval', 'one', 'two'), [above('a', 'approval', 'two', 'three')]).steps;
    expect(steps).toEqual(['one', 'two', 'three']);
  });

  it('names who decided it by which revision', () => {
    expect(narrowDecision(decision('allow'), []).narrowedBy).toBeNull();
    expect(narrowDecision(decision('allow'), [above('a', 'allow')]).narrowedBy).toEqual([
      { configurationId: 'a', policyIds: ['allow policy'], revision: 7 },
    ]);
  });

  it('is at best what the strictest would say', () => {
    expect(strictestVerdict(['allow', 'approval', 'allow'])).toBe('approval');
    expect(strictestVerdict(['approval', 'deny', 'allow'])).toBe('deny');
  });
});
