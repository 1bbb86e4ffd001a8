import { invalidRequest } from '../platform/errors/general.error.js';
import type { InvalidField } from '../platform/errors/problem.js';
import { type PolicyRuleForm, type RuleCondition, testsOf, type ValueType } from './rule.js';

/** The rule, once it is clear that it can be written; what is wrong with it is named field by field. */
export function requireValidRule(rule: PolicyRuleForm): PolicyRuleForm {
  const errors = [...headFaults(rule), ...rule.conditions.flatMap(conditionFaults)];
  if (errors.length) throw invalidRequest('The rule cannot be written like this.', { errors });
  return rule;
}

function headFaults({ verdict, step, who }: PolicyRuleForm): InvalidField[] {
  const needsId = who.kind === 'group' || who.kind === 'member' || who.kind === 'agent';
  return [
    ...(verdict === 'approval' && !step ? [{ pointer: '/rule/step', detail: 'names the approval step' }] : []),
    ...(needsId && !who.id ? [{ pointer: '/rule/who/id', detail: `says which ${who.kind}` }] : []),
  ];
}

function conditionFaults({ path, test, type, values }: RuleCondition, index: number): InvalidField[] {
  const at = `/rule/conditions/${index}`;
  if (!isRulePath(path)) return [{ pointer: `${at}/path`, detail: 'is an argument, the surface, or "tainted"' }];
  if (!testsOf[type].includes(test)) return [{ pointer: `${at}/test`, detail: 'does not go with this type of value' }];
  const [least, most] = test === 'given' ? [0, 0] : test === 'one_of' ? [1, Infinity] : [1, 1];
  if (values.length < least || values.length > most)
    return [{ pointer: `${at}/values`, detail: least === 0 ? 'stays empty' : most === 1 ? 'is one' : 'is missing' }];
  return values.some((value) => !valuePatterns[type].test(value))
    ? [{ pointer: `${at}/values`, detail: valueDescriptions[type] }]
    : [];
}

const isRulePath = ([root, ...rest]: string[]) =>
  root === 'arguments' ? rest.length > 0 : ['surface', 'tainted'].includes(root) && !rest.length;

const valuePatterns: Record<ValueType, RegExp> = {
  whole: /^-?\d{1,15}$/,
  decimal: /^-?\d{1,14}(\.\d{1,4})?$/,
  text: /^/,
  truth: /^(true|false)$/,
};
const valueDescriptions: Record<ValueType, string> = {
  whole: 'is a whole number',
  decimal: 'is a number with at most four decimals',
  text: 'is a text',
  truth: 'is true or false',
};
