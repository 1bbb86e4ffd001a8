import { describe, expect, it } from 'vitest';
import type { Decision } from '../policies/decisions.service.js';
import { narrowed, strictest } from './narrowing.js';

const decision = (verdict: Decision['verdict'], ...steps: string[]): Decision => ({
  verdict,
  steps,
  policyIds: [`${verdict} policy`],
  revision: 7,
  reason: `it is ${verdict}`,
});
const above = (id: string, ...rest: Parameters<typeof decision>) => ({ configurationId: id, ...decision(...rest) });

describe('what may be done for another', () => {
  it('is what both allow', () => {
    expect(narrowed(decision('allow'), [above('a', 'allow')]).verdict).toBe('allow');
    expect(narrowed(decision('allow'), [above('a', 'approval', 'one')])).toMatchObject({
      verdict: 'approval',
      steps: ['one'],
      reason: 'it is approval',
    });
    expect(narrowed(decision('approval', 'one'), [above('a', 'deny')])).toMatchObject({ verdict: 'deny', steps: [] });
    expect(narrowed(decision('deny'), [above('a', 'allow')]).verdict).toBe('deny');
  });

  it('passes the steps of all, each once', () => {
    const steps = narrowed(decision('approval', 'one', 'two'), [above('a', 'approval', 'two', 'three')]).steps;
    expect(steps).toEqual(['one', 'two', 'three']);
  });

  it('names who decided it by which revision', () => {
    expect(narrowed(decision('allow'), []).narrowedBy).toBeNull();
    expect(narrowed(decision('allow'), [above('a', 'allow')]).narrowedBy).toEqual([
      { configurationId: 'a', policyIds: ['allow policy'], revision: 7 },
    ]);
  });

  it('is at best what the strictest would say', () => {
    expect(strictest(['allow', 'approval', 'allow'])).toBe('approval');
    expect(strictest(['approval', 'deny', 'allow'])).toBe('deny');
  });
});
