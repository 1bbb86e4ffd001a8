import { invalidRequest } from '../platform/errors/general.error.js';
import type { InvalidField } from '../platform/errors/problem.js';
import { type PolicyRuleForm, type RuleCondition, testsOf, type ValueType } from './rule.js';

/** Returns the rule if it is valid. Otherwise throws a problem with an error for each invalid field. */
export function requireValidRule(rule: PolicyRuleForm): PolicyRuleForm {
  const errors = [...headFaults(rule), ...rule.conditions.flatMap(conditionFaults)];
  if (errors.length) throw invalidRequest('The rule has invalid fields.', { errors });
  return rule;
}

function headFaults({ verdict, step, who }: PolicyRuleForm): InvalidField[] {
  const needsId = who.kind === 'group' || who.kind === 'member' || who.kind === 'agent';
  return [
    ...(verdict === 'approval' && !step ? [{ pointer: '/rule/step', detail: 'must name an approval step' }] : []),
    ...(needsId && !who.id ? [{ pointer: '/rule/who/id', detail: `must be the id of the ${who.kind}` }] : []),
  ];
}

function conditionFaults({ path, test, type, values }: RuleCondition, index: number): InvalidField[] {
  const at = `/rule/conditions/${index}`;
  if (!isRulePath(path)) return [{ pointer: `${at}/path`, detail: 'must be an argument, the surface, or "tainted"' }];
  if (!testsOf[type].includes(test))
    return [{ pointer: `${at}/test`, detail: 'is not supported for this type of value' }];
  const [least, most] = test === 'given' ? [0, 0] : test === 'one_of' ? [1, Infinity] : [1, 1];
  if (values.length < least || values.length > most)
    return [{ pointer: `${at}/values`, detail: valueCountFault(least, most) }];
  if (values.some((value) => !value.trim())) return [{ pointer: `${at}/values`, detail: 'must not be empty' }];
  return values.some((value) => !valuePatterns[type].test(value))
    ? [{ pointer: `${at}/values`, detail: valueDescriptions[type] }]
    : [];
}

const valueCountFault = (least: number, most: number): string =>
  least === 0 ? 'must be empty' : most === 1 ? 'must contain exactly one value' : 'must contain at least one value';

const isRulePath = ([root, ...rest]: string[]) =>
  root === 'arguments' ? rest.length > 0 : ['surface', 'tainted'].includes(root) && !rest.length;

const valuePatterns: Record<ValueType, RegExp> = {
  whole: /^-?\d{1,15}$/,
  decimal: /^-?\d{1,14}(\.\d{1,4})?$/,
  text: /^/,
  truth: /^(true|false)$/,
};
const valueDescriptions: Record<ValueType, string> = {
  whole: 'must be a whole number',
  decimal: 'must be a number with at most four decimal places',
  text: 'must be text',
  truth: 'must be true or false',
};
