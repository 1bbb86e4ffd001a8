/**
 * A policy as a form shows it: who, what, where, under which conditions, and the verdict. The Cedar text stays the one source
 * of truth; what says more than this is edited as text.
 */
export interface PolicyRuleForm {
  /** Its @id; '' where it has none. */
  name: string;
  verdict: RuleVerdict;
  /** The approval step, where the verdict is to ask. */
  step: string | null;
  who: RuleWho;
  /** Effects and tools; none: everything. */
  actions: string[];
  /** The only connection that it is about; null: any. */
  connection: string | null;
  /** All of them hold. */
  conditions: RuleCondition[];
}

export interface RuleWho {
  kind: WhoKind;
  /** Of the group, the member or the agent identity. */
  id: string | null;
}

export interface RuleCondition {
  /** In `context`: ["arguments", "amount"], ["surface"], ["tainted"]. */
  path: string[];
  test: RuleTest;
  type: ValueType;
  /** As they are written; several only for "one_of", none for "given". */
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

/** Which tests there are for values of a type; a set of values is tested by "contains". */
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
