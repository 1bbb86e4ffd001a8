import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { contextPath, entitiesIn } from './conditions.js';
import { type Policy, parsePolicies } from './policy.js';
import type { Span } from './policy-text.js';
import {
  comparisons,
  decimalComparisons,
  type PolicyRuleForm,
  type RuleCondition,
  type RuleTest,
  type RuleWho,
} from './rule.js';

/** One policy, with its position and its form. */
export interface StatementWithRule extends Span {
  id: string;
  rule: PolicyRuleForm | null;
}

/** In the order of the text. Empty while Cedar cannot parse it. */
export const listStatements = (text: string): StatementWithRule[] =>
  parsePolicies(text).policies.map((policy) => ({
    id: policy.id,
    start: policy.statement.start,
    end: policy.statement.end,
    rule: readRule(policy),
  }));

/** The policy as a form shows it. Null if a form cannot show all of it: then it is edited as text. */
export function readRule({ json, statement, effect, step }: Policy): PolicyRuleForm | null {
  // rewriting the statement from a form would drop its comments
  if (/\/\//.test(withoutStrings(statement.text))) return null;
  const who = whoOf(json.principal);
  const actions = actionsOf(json.action);
  const connection = connectionOf(json.resource);
  const conditions = conditionsOf(json.conditions);
  if (!who || !actions || connection === undefined || !conditions) return null;
  const verdict = effect === 'forbid' ? 'forbid' : step === null ? 'allow' : 'approval';
  return { name: json.annotations?.id ?? '', verdict, step, who, actions, connection, conditions };
}

const withoutStrings = (text: string) => text.replace(/"(?:[^"\\]|\\[^])*"/g, '""');

function whoOf(principal: PolicyJson['principal']): RuleWho | null {
  if (principal.op === 'All') return { kind: 'everybody', id: null };
  if (principal.op === 'is') {
    if (principal.in) return null;
    return { kind: principal.entity_type === 'Agent' ? 'agents' : 'members', id: null };
  }
  const [{ type, id } = { type: '', id: '' }] = entitiesIn(principal);
  if (principal.op === 'in') return type === 'Group' ? { kind: 'group', id } : null;
  return { kind: type === 'Agent' ? 'agent' : 'member', id };
}

function actionsOf(action: PolicyJson['action']): string[] | null {
  if (action.op === 'All') return [];
  const named = entitiesIn(action).map(({ id }) => id);
  return named.length ? named : null; // "in []" matches nothing
}

/** Undefined: a form cannot show this resource. */
function connectionOf(resource: PolicyJson['resource']): string | null | undefined {
  if (resource.op === 'All') return null;
  return resource.op === '==' ? entitiesIn(resource)[0]?.id : undefined;
}

function conditionsOf(clauses: PolicyJson['conditions']): RuleCondition[] | null {
  if (clauses.some(({ kind }) => kind !== 'when')) return null;
  const found = clauses.flatMap(({ body }) => conjuncts(body)).map(conditionOf);
  if (found.some((one) => one === null)) return null;
  const conditions = found as RuleCondition[];
  return conditions.filter((one, at) => !isGuard(one, conditions.slice(at + 1)));
}

/**
 * Cedar requires "has" before access to an optional attribute or one below it, so this is not a condition of its own.
 */
const isGuard = ({ test, path }: RuleCondition, later: RuleCondition[]) =>
  test === 'given' && later.some((next) => path.every((name, at) => next.path[at] === name));

function conjuncts(expression: unknown): unknown[] {
  const { '&&': both } = expression as { '&&'?: { left: unknown; right: unknown } };
  return both ? [...conjuncts(both.left), ...conjuncts(both.right)] : [expression];
}

type Operand = { left: unknown; right: unknown };

function conditionOf(expression: unknown): RuleCondition | null {
  const isTrue = rulePathOf(expression);
  if (isTrue) return { path: isTrue, test: 'is', type: 'truth', values: ['true'] };
  const [operator, operand] = Object.entries(expression as object)[0] as [string, unknown];
  const decimal = testOfOperator(decimalComparisons, operator);
  if (decimal) return comparisonOf((operand as unknown[])[0], decimal, (operand as unknown[])[1]);
  const { left, right } = operand as Operand;
  const comparison = testOfOperator({ ...comparisons, is: '==', is_not: '!=' }, operator);
  if (comparison) return comparisonOf(left, comparison, right);
  switch (operator) {
    case '!':
      return falseTestOf((operand as { arg: unknown }).arg);
    case 'has':
      return presenceTestOf(operand as { left: unknown; attr: string | string[] });
    case 'contains':
      return rulePathOf(left) ? comparisonOf(left, 'contains', right) : oneOfTestOf(left, right);
    case 'like':
      return likeTestOf(operand as { left: unknown; pattern: unknown[] });
    default:
      return null;
  }
}

const testOfOperator = <Test extends string>(names: Record<Test, string>, operator: string): Test | undefined =>
  (Object.keys(names) as Test[]).find((test) => names[test] === operator);

function falseTestOf(argument: unknown): RuleCondition | null {
  const path = rulePathOf(argument);
  return path && { path, test: 'is', type: 'truth', values: ['false'] };
}

function presenceTestOf({ left, attr }: { left: unknown; attr: string | string[] }): RuleCondition | null {
  const outer = contextPath(left);
  const path = outer && [...outer, ...[attr].flat()];
  return path?.[0] === 'arguments' && path.length > 1 ? { path, test: 'given', type: 'text', values: [] } : null;
}

function comparisonOf(left: unknown, test: RuleTest, right: unknown): RuleCondition | null {
  const path = rulePathOf(left);
  const value = literalOf(right);
  if (!path || !value) return null;
  const isDenied = value.type === 'truth' && test === 'is_not';
  if (isDenied) return { path, test: 'is', type: 'truth', values: [value.text === 'true' ? 'false' : 'true'] };
  return { path, test, type: value.type, values: [value.text] };
}

function oneOfTestOf(left: unknown, right: unknown): RuleCondition | null {
  const path = rulePathOf(right);
  const values = ((left as { Set?: unknown[] }).Set ?? []).map(literalOf);
  const [first] = values;
  if (!path || !first || values.some((value) => value?.type !== first.type)) return null;
  return { path, test: 'one_of', type: first.type, values: values.map((value) => value!.text) };
}

/** A form shows a wildcard as "*", so it cannot show a pattern with a literal star. */
function likeTestOf({ left, pattern }: { left: unknown; pattern: unknown[] }): RuleCondition | null {
  const path = rulePathOf(left);
  const pieces = pattern.map((piece) => (piece === 'Wildcard' ? null : (piece as { Literal: string }).Literal));
  if (!path || pieces.some((piece) => piece?.includes('*'))) return null;
  return { path, test: 'like', type: 'text', values: [pieces.map((piece) => piece ?? '*').join('')] };
}

function literalOf(expression: unknown): { type: RuleCondition['type']; text: string } | null {
  const { Value: value, decimal } = expression as { Value?: unknown; decimal?: { Value?: unknown }[] };
  if (typeof decimal?.[0]?.Value === 'string') return { type: 'decimal', text: decimal[0].Value };
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'boolean') return { type: 'truth', text: String(value) };
  return typeof value === 'number' ? { type: 'whole', text: String(value) } : null;
}

/** The paths that a form supports: an argument, the surface, and whether the task is tainted. */
function rulePathOf(expression: unknown): string[] | null {
  const path = contextPath(expression);
  if (!path?.length) return null;
  const isKnown = path[0] === 'arguments' ? path.length > 1 : path.length === 1 && path[0] !== 'time';
  return isKnown ? [...path] : null;
}
