import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { parsePolicies } from './policy.js';
import { readRule } from './read-rule.js';
import { type PolicyRuleForm, type RuleCondition, ruleVerdicts } from './rule.js';
import { requireValidRule } from './rule-faults.js';
import { writeRule } from './write-rule.js';

const everyone: PolicyRuleForm = {
  name: '',
  verdict: 'allow',
  step: null,
  who: { kind: 'everybody', id: null },
  actions: [],
  connection: null,
  conditions: [],
};
const amount = (more: Partial<RuleCondition> = {}): RuleCondition => ({
  path: ['arguments', 'amount'],
  test: 'greater',
  type: 'whole',
  values: ['100'],
  ...more,
});
/** The rules of a text that Cedar accepts. */
const rulesOf = (text: string) => {
  const { policies, faults } = parsePolicies(text);
  expect(faults).toEqual([]);
  return policies.map(readRule);
};

describe('a rule', () => {
  it('is written in Cedar as people write it', () => {
    expect(
      writeRule({
        ...everyone,
        name: 'large orders',
        verdict: 'approval',
        step: 'review',
        who: { kind: 'group', id: 'g1' },
        actions: ['shop__order'],
        connection: 'shop',
        conditions: [amount(), { path: ['tainted'], test: 'is', type: 'truth', values: ['false'] }],
      }),
    ).toBe(`@id("large orders")
@approval("review")
permit (principal in Group::"g1", action == Action::"shop__order", resource == Connection::"shop")
when { context.arguments has amount && context.arguments.amount > 100 && !context.tainted };`);
  });

  const names = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((name) => !/[\p{Cs}]/u.test(name));
  const free = fc.record({ path: fc.tuple(fc.constant('arguments'), names, names) });
  const tests: fc.Arbitrary<Omit<RuleCondition, 'path'>> = fc.oneof(
    fc.record({
      test: fc.constantFrom('is', 'is_not', 'less', 'at_most', 'greater', 'at_least', 'contains'),
      type: fc.constant('whole' as const),
      values: fc.tuple(fc.maxSafeInteger().map(String)),
    }),
    fc.record({
      test: fc.constantFrom('is', 'is_not', 'less', 'at_most', 'greater', 'at_least'),
      type: fc.constant('decimal' as const),
      values: fc.tuple(fc.tuple(fc.nat(), fc.nat(9999)).map(([whole, rest]) => `${whole}.${rest}`)),
    }),
    fc.record({
      test: fc.constantFrom('is', 'is_not', 'contains'),
      type: fc.constant('text' as const),
      values: fc.tuple(names),
    }),
    fc.record({
      test: fc.constant('like' as const),
      type: fc.constant('text' as const),
      values: fc.tuple(names),
    }),
    fc.record({
      test: fc.constant('one_of' as const),
      type: fc.constant('text' as const),
      values: fc.array(names, { minLength: 1 }),
    }),
    fc.record({
      test: fc.constant('is' as const),
      type: fc.constant('truth' as const),
      values: fc.tuple(fc.constantFrom('true', 'false')),
    }),
    fc.record({
      test: fc.constant('given' as const),
      type: fc.constant('text' as const),
      values: fc.constant<string[]>([]),
    }),
  );
  const conditions = fc.uniqueArray(
    fc.tuple(free, tests).map(([{ path }, test]): RuleCondition => ({ path, ...test })),
    { maxLength: 5, selector: ({ path }) => path[1] },
  );
  const who = fc.oneof(
    fc.record({ kind: fc.constantFrom('everybody', 'members', 'agents'), id: fc.constant(null) }),
    fc.record({ kind: fc.constantFrom('group', 'member', 'agent'), id: names }),
  );
  const rules: fc.Arbitrary<PolicyRuleForm> = fc
    .record({
      name: fc.constantFrom('', 'a rule', 'x.y:z-1'),
      verdict: fc.constantFrom(...ruleVerdicts),
      step: fc.constant<string | null>(null),
      who,
      actions: fc.uniqueArray(fc.oneof(fc.constantFrom('read', 'write', 'destructive'), names), { maxLength: 3 }),
      connection: fc.option(names),
      conditions,
    })
    .map((rule) => ({ ...rule, step: rule.verdict === 'approval' ? 'review' : null }));

  it('stays the same when written and read again', () => {
    fc.assert(
      fc.property(rules, (rule) => void expect(rulesOf(writeRule(rule))).toEqual([rule])),
      { numRuns: 300 },
    );
  });
});

describe('a handwritten policy', () => {
  it('is shown as a rule if a form can show all of it', () => {
    const [one, another] = rulesOf(`
      permit (principal, action in [Action::"read", Action::"write"], resource)
      when { context.surface == "mcp" } when { context.arguments has a.b && context.arguments.a.b != true };
      forbid (principal is Agent, action, resource == Connection::"desk") when { context.tainted };`);
    expect(one).toMatchObject({
      verdict: 'allow',
      actions: ['read', 'write'],
      conditions: [
        { path: ['surface'], test: 'is', values: ['mcp'] },
        { path: ['arguments', 'a', 'b'], test: 'is', type: 'truth', values: ['false'] },
      ],
    });
    expect(another).toMatchObject({ verdict: 'forbid', who: { kind: 'agents' }, connection: 'desk' });
  });

  it.each([
    ['a comment inside', 'permit (principal, action, // all of it\n resource);'],
    ['unless', 'permit (principal, action, resource) unless { context.tainted };'],
    ['or', 'permit (principal, action, resource) when { context.tainted || context.surface == "mcp" };'],
    ['the time', 'permit (principal, action, resource) when { context.time > datetime("2026-01-01") };'],
    [
      'a comparison of two arguments',
      'permit (principal, action, resource) when { context.arguments.a == context.arguments.b };',
    ],
    ['a literal star', 'permit (principal, action, resource) when { context.arguments.a like "\\*" };'],
    ['agents in a group', 'permit (principal is Member in Group::"g", action, resource);'],
    ['an empty list of actions', 'permit (principal, action in [], resource);'],
  ])('is edited as text if it has %s', (_, text) => {
    expect(rulesOf(text)).toEqual([null]);
  });
});

describe('an invalid rule', () => {
  const faults = (rule: Partial<PolicyRuleForm>): unknown => {
    try {
      requireValidRule({ ...everyone, ...rule });
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each<[Partial<PolicyRuleForm>, string]>([
    [{ verdict: 'approval' }, '/rule/step'],
    [{ who: { kind: 'group', id: null } }, '/rule/who/id'],
    [{ conditions: [amount({ path: ['arguments'] })] }, '/rule/conditions/0/path'],
    [{ conditions: [amount({ path: ['time'] })] }, '/rule/conditions/0/path'],
    [{ conditions: [amount({ test: 'like' })] }, '/rule/conditions/0/test'],
    [{ conditions: [amount({ values: [] })] }, '/rule/conditions/0/values'],
    [{ conditions: [amount({ test: 'is', type: 'text', values: [''] })] }, '/rule/conditions/0/values'],
    [{ conditions: [amount({ type: 'text', test: 'one_of', values: ['a', ' '] })] }, '/rule/conditions/0/values'],
    [{ conditions: [amount({ values: ['1', '2'] })] }, '/rule/conditions/0/values'],
    [{ conditions: [amount({ values: ['1 || true'] })] }, '/rule/conditions/0/values'],
    [{ conditions: [amount({ type: 'decimal', values: ['1.23456'] })] }, '/rule/conditions/0/values'],
  ])('is rejected with a pointer to the field: %j', (rule, pointer) => {
    expect(faults(rule)).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
  });
});
