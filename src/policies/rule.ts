/**
 * A policy as a form shows it: principal, actions, connection, conditions and verdict. The Cedar text remains the only
 * source of truth. Policies that do not fit this form are edited as text.
 */
export interface PolicyRuleForm {
  /** The `@id` of the policy; '' if it has none. */
  name: string;
  verdict: RuleVerdict;
  /** The approval step, for the verdict `approval`. */
  step: string | null;
  who: RuleWho;
  /** Effects and tool names. Empty: all tools. */
  actions: string[];
  /** The only connection that the rule applies to; null: all. */
  connection: string | null;
  /** All conditions must be met. */
  conditions: RuleCondition[];
}

export interface RuleWho {
  kind: WhoKind;
  /** The id of the group, member or agent. */
  id: string | null;
}

export interface RuleCondition {
  /** A path in `context`: for example ["arguments", "amount"], ["surface"] or ["tainted"]. */
  path: string[];
  test: RuleTest;
  type: ValueType;
  /** The values as text. Exactly one; one or more for "one_of", none for "given". */
  values: string[];
}

export const ruleVerdicts = ['allow', 'approval', 'forbid'] as const;
export type RuleVerdict = (typeof ruleVerdicts)[number];

export const whoKinds = ['everybody', 'members', 'agents', 'group', 'member', 'agent'] as const;
export type WhoKind = (typeof whoKinds)[number];

export const ruleTests = [
  'is',
  'is_not',
  'less',
  'at_most',
  'greater',
  'at_least',
  'one_of',
  'contains',
  'like',
  'given',
] as const;
export type RuleTest = (typeof ruleTests)[number];

/** Cedar's Long, decimal, String and Bool. */
export const valueTypes = ['whole', 'decimal', 'text', 'truth'] as const;
export type ValueType = (typeof valueTypes)[number];

/** The tests for each type of value. Sets are tested with "contains". */
export const testsOf: Record<ValueType, readonly RuleTest[]> = {
  whole: ['is', 'is_not', 'less', 'at_most', 'greater', 'at_least', 'one_of', 'contains', 'given'],
  decimal: ['is', 'is_not', 'less', 'at_most', 'greater', 'at_least', 'given'],
  text: ['is', 'is_not', 'one_of', 'contains', 'like', 'given'],
  truth: ['is', 'given'],
};

export const comparisons = { less: '<', at_most: '<=', greater: '>', at_least: '>=' } as const;
export const decimalComparisons = {
  less: 'lessThan',
  at_most: 'lessThanOrEqual',
  greater: 'greaterThan',
  at_least: 'greaterThanOrEqual',
} as const;
