import { describe, expect, it } from 'vitest';
import { createCedarCache } from './cedar-cache.js';
import { maxPolicyDepth, policyDepth } from './policy-depth.js';
import { parsePolicies } from './policy.js';
import { PolicySet } from './policy-set.js';

const when = (condition: string) => `permit (principal, action, resource) when { ${condition} };`;
/** Each grows with `n` by at least one level of Cedar's recursion. */
const shapes: Record<string, (n: number) => string> = {
  and: (n) => when('context.tainted && '.repeat(n) + 'true'),
  or: (n) => when('context.tainted || '.repeat(n) + 'true'),
  alternatives: (n) => when('context.surface == "a2a" || '.repeat(n) + 'true'),
  sum: (n) => when('1 + '.repeat(n) + '1 == 1'),
  product: (n) => when('1 * '.repeat(n) + '1 == 1'),
  clauses: (n) => `permit (principal, action, resource) ${'when { context.tainted } '.repeat(n)};`,
  brackets: (n) => when('('.repeat(n) + 'true' + ')'.repeat(n)),
  'brackets after operators': (n) => when('(true && '.repeat(n) + 'true' + ')'.repeat(n)),
  negations: (n) => when('!('.repeat(n) + 'true' + ')'.repeat(n)),
  'if in else': (n) => when('if context.tainted then true else '.repeat(n) + 'true'),
  'if in if': (n) => when('if '.repeat(n) + 'true' + ' then true else true'.repeat(n)),
  sets: (n) => when(`${'['.repeat(n)}1${']'.repeat(n)} == [1]`),
  records: (n) => when(`${'{a: '.repeat(n)}1${'}'.repeat(n)} == {a: 1}`),
  'records in sets': (n) => when(`${'[{a: '.repeat(n)}1${'}]'.repeat(n)} == [1]`),
  accesses: (n) => when(`context${'.a'.repeat(n)} == 1`),
  indexes: (n) => when(`context${'["a"]'.repeat(n)} == 1`),
  calls: (n) => when('[1]' + '.contains(1)'.repeat(n)),
  arguments: (n) => when(`${'[1].contains('.repeat(n)}1${')'.repeat(n)}`),
  'an unfinished string': (n) => `// "\n${when('('.repeat(n) + 'true' + ')'.repeat(n))} "`,
  'brackets without an end': (n) => when('('.repeat(n)),
};

describe('policyDepth', () => {
  it('grows with everything that makes Cedar recurse', () => {
    for (const [name, of] of Object.entries(shapes)) {
      expect([name, policyDepth(of(50)) - policyDepth(of(10))]).toEqual([name, expect.toSatisfy((more) => more >= 40)]);
      expect([name, policyDepth(of(2000)) > maxPolicyDepth]).toEqual([name, true]);
    }
  });

  it('does not grow with lists, comments, strings and additional policies', () => {
    const values = Array.from({ length: 5000 }, (_, number) => `"value ${number}"`).join(', ');
    const texts = [
      when(`[${values}].contains(context.surface)`),
      when('true').repeat(500),
      `// ${'('.repeat(5000)}\n${when('context.surface == "((((&&&&||||" ')}`,
    ];
    for (const text of texts) expect(policyDepth(text)).toBeLessThan(20);
  });
});

const request = {
  principal: { type: 'Agent', id: 'a1' },
  groups: [],
  tool: {
    name: 'tickets__create',
    effect: 'write' as const,
    connectionSlug: 'tickets',
    definitionHash: 'hash',
    inputSchema: { type: 'object', properties: {} },
  },
  surface: 'a2a',
  args: {},
  tainted: true,
  time: new Date(0),
};
const decide = (text: string, content: string) =>
  PolicySet.parse(text, { tenantId: '01900000-0000-7000-8000-000000000000', content }, createCedarCache()).decide(
    request,
  );

/** The largest number up to `end` that passes, where all smaller ones pass too. */
function deepestWithin(end: number, passes: (n: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

describe('Cedar', () => {
  it.each(Object.keys(shapes))('still decides after the deepest text that passes the limit: %s', (name) => {
    const deepest = deepestWithin(2000, (n) => policyDepth(shapes[name](n)) <= maxPolicyDepth);
    for (const depth of [deepest, deepest + 1, 2000, 20_000]) {
      const text = shapes[name](depth);
      // decides only texts without parse faults; other errors, such as an unknown attribute, only deny
      if (!parsePolicies(text).faults.length) decide(text, `${name} ${depth}`);
      expect(decide(when('context.tainted'), 'other').verdict).toBe('allow');
    }
  });
});
