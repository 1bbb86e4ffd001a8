import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../src/platform/json/strict-json.js';
import { createCedarCache } from '../src/policies/cedar-cache.js';
import type { ActionEffect } from '../src/policies/cedar-schema.js';
import { type PolicyCallRequest, PolicySet } from '../src/policies/policy-set.js';
import type { PolicyRuleForm, RuleCondition, RuleWho } from '../src/policies/rule.js';
import { writeRule } from '../src/policies/write-rule.js';

/*
 * A second implementation of the rules that the form can write, in plain TypeScript. Cedar, the mapping of arguments and
 * the combination of policies must decide every random request as this one does.
 */

const cases = Number(process.env.FUZZ_CASES ?? 500);
const seed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined;
const cache = createCedarCache({ sets: 16, plans: 16 });

interface ExpectedVerdict {
  verdict: 'allow' | 'approval' | 'deny';
  steps: string[];
  policyIds: string[];
}

function decideRules(rules: readonly PolicyRuleForm[], request: PolicyCallRequest): ExpectedVerdict {
  const inScope = rules.filter((rule) => coversScope(rule, request));
  const inexact = inScope.find((rule) => rule.conditions.some(({ path }) => isInexact(path, request)));
  if (inexact) return { verdict: 'deny', steps: [], policyIds: [inexact.name] };
  const matching = inScope.filter((rule) => rule.conditions.every((condition) => isMet(condition, request)));
  const forbids = matching.filter(({ verdict }) => verdict === 'forbid');
  if (forbids.length || !matching.length) return { verdict: 'deny', steps: [], policyIds: namesOf(forbids) };
  const steps = [...new Set(matching.flatMap(({ verdict, step }) => (verdict === 'approval' ? [step!] : [])))].sort();
  return { verdict: steps.length ? 'approval' : 'allow', steps, policyIds: namesOf(matching) };
}

const namesOf = (rules: readonly PolicyRuleForm[]) => rules.map(({ name }) => name).sort();

const coversScope = ({ who, actions, connection }: PolicyRuleForm, { tool, ...request }: PolicyCallRequest) =>
  isCaller(who, request) &&
  (!actions.length || actions.includes(tool.name) || actions.includes(tool.effect)) &&
  (connection === null || connection === tool.connectionSlug);

function isCaller({ kind, id }: RuleWho, { principal, groups }: Pick<PolicyCallRequest, 'principal' | 'groups'>) {
  if (kind === 'everybody') return true;
  if (kind === 'group') return groups.includes(id!);
  if (kind === 'agents' || kind === 'agent')
    return principal.type === 'Agent' && (kind === 'agents' || principal.id === id);
  return principal.type === 'Member' && (kind === 'members' || principal.id === id);
}

function valueAt([root, name]: readonly string[], { args, surface, tainted }: PolicyCallRequest) {
  if (root === 'surface') return surface;
  return root === 'tainted' ? tainted : args[name];
}

/** Cedar's decimals have four places. */
const isInexact = (path: readonly string[], request: PolicyCallRequest) =>
  path[1] === 'price' && request.args.price !== undefined && !Number.isInteger(toUnits(request.args.price as number));
const toUnits = (value: number) => Number((value * 10_000).toFixed(4));

function isMet({ path, test, type, values }: RuleCondition, request: PolicyCallRequest): boolean {
  const value = valueAt(path, request);
  if (value === undefined) return false;
  const texts = values.map((text) => comparable(text, type));
  const own = type === 'decimal' ? toUnits(value as number) : value;
  const [wanted] = texts;
  switch (test) {
    case 'given':
      return true;
    case 'is':
      return own === wanted;
    case 'is_not':
      return own !== wanted;
    case 'one_of':
      return texts.some((text) => text === own);
    case 'contains':
      return (own as JsonValue[]).includes(wanted);
    case 'like':
      return matchesPattern(own as string, wanted as string);
    case 'less':
      return (own as number) < (wanted as number);
    case 'at_most':
      return (own as number) <= (wanted as number);
    case 'greater':
      return (own as number) > (wanted as number);
    case 'at_least':
      return (own as number) >= (wanted as number);
  }
}

function comparable(text: string, type: RuleCondition['type']): string | number | boolean {
  if (type === 'truth') return text === 'true';
  if (type === 'whole') return Number(text);
  return type === 'decimal' ? toUnits(Number(text)) : text;
}

/** `*` stands for any text. */
function matchesPattern(text: string, pattern: string): boolean {
  if (!pattern) return !text;
  const rest = pattern.slice(1);
  if (pattern[0] === '*')
    return Array.from({ length: text.length + 1 }, (_, from) => text.slice(from)).some((end) =>
      matchesPattern(end, rest),
    );
  return text[0] === pattern[0] && matchesPattern(text.slice(1), rest);
}

const inputSchema = {
  type: 'object',
  properties: {
    amount: { type: 'integer' },
    price: { type: 'number' },
    title: { type: 'string' },
    urgent: { type: 'boolean' },
    labels: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
  },
};
const tools = (['read', 'write', 'destructive'] as ActionEffect[]).map((effect) => ({
  name: `desk__${effect}_it`,
  effect,
  connectionSlug: effect === 'read' ? 'library' : 'desk',
  definitionHash: effect,
  inputSchema,
}));

const whole = fc.integer({ min: -3, max: 3 });
const decimal = fc.integer({ min: -30_001, max: 30_001 }).map((units) => units / 10_000);
const price = fc.oneof(decimal, fc.constantFrom(0, 0.5, 1, 0.12345));
const word = fc.string({ unit: fc.constantFrom('a', 'b', '"', '\\', 'é'), maxLength: 3 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '*'), maxLength: 4 });

const condition = (
  path: string[],
  type: RuleCondition['type'],
  tests: RuleCondition['test'][],
  value: fc.Arbitrary<string>,
) =>
  fc.constantFrom(...tests).chain((test): fc.Arbitrary<RuleCondition> => {
    const count = test === 'one_of' ? { minLength: 1, maxLength: 3 } : { minLength: 1, maxLength: 1 };
    const values = test === 'given' ? fc.constant<string[]>([]) : fc.array(test === 'like' ? pattern : value, count);
    return values.map((values) => ({ path, test, type, values }));
  });
const argument = (name: string) => ['arguments', name];
const order = ['is', 'is_not', 'less', 'at_most', 'greater', 'at_least', 'given'] as RuleCondition['test'][];
const truth = fc.constantFrom('true', 'false');
const conditions = fc.oneof(
  condition(argument('amount'), 'whole', [...order, 'one_of'], whole.map(String)),
  condition(
    argument('price'),
    'decimal',
    order,
    decimal.map((value) => value.toFixed(4)),
  ),
  condition(argument('title'), 'text', ['is', 'is_not', 'one_of', 'like', 'given'], word),
  condition(argument('urgent'), 'truth', ['is', 'given'], truth),
  condition(argument('labels'), 'text', ['contains', 'given'], word),
  condition(argument('sizes'), 'whole', ['contains', 'given'], whole.map(String)),
  condition(['surface'], 'text', ['is', 'is_not', 'one_of'], fc.constantFrom('a2a', 'mcp', 'api')),
  condition(['tainted'], 'truth', ['is'], truth),
);
const who: fc.Arbitrary<RuleWho> = fc.oneof(
  fc.record({ kind: fc.constantFrom('everybody', 'members', 'agents'), id: fc.constant(null) }),
  fc.record({ kind: fc.constantFrom('group', 'member', 'agent'), id: fc.constantFrom('1', '2') }),
);
const rules = fc
  .array(
    fc.record({
      verdict: fc.constantFrom('allow', 'allow', 'approval', 'forbid'),
      step: fc.constantFrom('review', 'confirm'),
      who,
      actions: fc.uniqueArray(fc.constantFrom('read', 'write', 'destructive', ...tools.map(({ name }) => name)), {
        maxLength: 3,
      }),
      connection: fc.constantFrom(null, null, 'desk', 'library'),
      conditions: fc.array(conditions, { maxLength: 3 }),
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((rule, index): PolicyRuleForm => ({ name: `rule ${index + 1}`, ...rule })));
const request: fc.Arbitrary<PolicyCallRequest> = fc.record({
  principal: fc.record({ type: fc.constantFrom('Member', 'Agent'), id: fc.constantFrom('1', '2', '3') }),
  groups: fc.subarray(['1', '2', '3']),
  tool: fc.constantFrom(...tools),
  surface: fc.constantFrom('a2a', 'mcp', 'api', 'console'),
  tainted: fc.boolean(),
  time: fc.constant(new Date('2026-11-20T12:00:00Z')),
  args: fc.record(
    {
      amount: whole,
      price,
      title: word,
      urgent: fc.boolean(),
      labels: fc.array(word, { maxLength: 3 }),
      sizes: fc.array(whole, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
});

it('decides random rules and requests as a plain evaluator does', () => {
  fc.assert(
    fc.property(rules, fc.array(request, { minLength: 1, maxLength: 4 }), (rules, requests) => {
      const text = rules.map(writeRule).join('\n');
      const set = PolicySet.parse(text, { tenantId: 't1', content: text }, cache);
      for (const request of requests) {
        const { verdict, steps, policyIds } = set.decide(request);
        const decided = { verdict, steps: steps.toSorted(), policyIds: policyIds.toSorted() };
        expect(decided).toEqual(decideRules(rules, request));
      }
    }),
    { numRuns: cases, seed },
  );
});
