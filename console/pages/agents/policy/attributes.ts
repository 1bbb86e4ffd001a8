import type { Vocabulary } from './policy-query.ts';
import { attributeName } from './rule-labels.ts';
import type { Condition, Rule } from './use-policy-check.ts';

/** An attribute that a condition can test. */
export interface Attribute {
  path: string[];
  type: Condition['type'];
  isSet: boolean;
  /** All possible values, if they are known. */
  values: readonly string[] | null;
}

const surfaces: Attribute = {
  path: ['surface'],
  type: 'text',
  isSet: false,
  values: ['a2a', 'mcp', 'api', 'cli', 'console'],
};
const tainted: Attribute = { path: ['tainted'], type: 'truth', isSet: false, values: null };

const types: Record<string, Condition['type']> = { Long: 'whole', decimal: 'decimal', String: 'text', Bool: 'truth' };

/** The arguments of the tools of the rule, the surface, and whether the task read external content. */
export function attributesOf(
  { actions, connection }: Pick<Rule, 'actions' | 'connection'>,
  { tools }: Vocabulary,
): Attribute[] {
  const isInScope = (tool: Vocabulary['tools'][number]) =>
    (!actions.length || actions.includes(tool.name) || actions.includes(tool.effect)) &&
    (connection === null || tool.connection === connection);
  const argumentAttributes = tools
    .filter(isInScope)
    .flatMap((tool) => tool.attributes)
    .flatMap(({ path, type, values }): Attribute[] => {
      const [, element] = /^Set<(.+)>$/.exec(type) ?? [];
      const known = types[element ?? type];
      return known ? [{ path: ['arguments', ...path.split('.')], type: known, isSet: Boolean(element), values }] : [];
    });
  const byKey = new Map([tainted, surfaces, ...argumentAttributes].map((attribute) => [keyOf(attribute), attribute]));
  return [...byKey.values()];
}

export const keyOf = ({ path }: Pick<Attribute, 'path'>): string => JSON.stringify(path);

/** The attribute of a condition, even if no tool of the rule has it any more. */
export const attributeOf = ({ path, type, test }: Condition, attributes: readonly Attribute[]): Attribute =>
  attributes.find((attribute) => keyOf(attribute) === keyOf({ path })) ?? {
    path,
    type,
    isSet: test === 'contains',
    values: null,
  };

export function operatorsFor({ path, type, isSet }: Attribute): Condition['test'][] {
  const given: Condition['test'][] = path[0] === 'arguments' ? ['given'] : [];
  if (isSet) return ['contains', ...given];
  if (type === 'truth') return ['is', ...given];
  if (type === 'text') return ['is', 'is_not', 'one_of', 'like', ...given];
  return ['is', 'is_not', 'less', 'at_most', 'greater', 'at_least', ...given];
}

/** The default condition for an attribute. */
export function defaultCondition(attribute: Attribute): Condition {
  const values = attribute.type === 'truth' ? ['true'] : [attribute.values?.[0] ?? ''];
  return { path: attribute.path, test: operatorsFor(attribute)[0], type: attribute.type, values };
}

export const attributeLabel = ({ path }: Attribute): string => attributeName(path);
