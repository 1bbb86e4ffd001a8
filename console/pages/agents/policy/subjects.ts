import type { Vocabulary } from './policy-query.ts';
import { subjectName } from './rule-words.ts';
import type { Condition, Rule } from './use-check.ts';

/** An attribute that a condition can test. */
export interface Subject {
  path: string[];
  type: Condition['type'];
  isSet: boolean;
  /** All possible values, if they are known. */
  values: readonly string[] | null;
}

const surfaces: Subject = {
  path: ['surface'],
  type: 'text',
  isSet: false,
  values: ['a2a', 'mcp', 'api', 'cli', 'console'],
};
const tainted: Subject = { path: ['tainted'], type: 'truth', isSet: false, values: null };

const types: Record<string, Condition['type']> = { Long: 'whole', decimal: 'decimal', String: 'text', Bool: 'truth' };

/** The arguments of the tools of the rule, the surface, and whether the task read external content. */
export function subjectsOf(
  { actions, connection }: Pick<Rule, 'actions' | 'connection'>,
  { tools }: Vocabulary,
): Subject[] {
  const isMeant = (tool: Vocabulary['tools'][number]) =>
    (!actions.length || actions.includes(tool.name) || actions.includes(tool.effect)) &&
    (connection === null || tool.connection === connection);
  const found = tools
    .filter(isMeant)
    .flatMap(({ attributes }) => attributes)
    .flatMap(({ path, type, values }): Subject[] => {
      const [, element] = /^Set<(.+)>$/.exec(type) ?? [];
      const known = types[element ?? type];
      return known ? [{ path: ['arguments', ...path.split('.')], type: known, isSet: Boolean(element), values }] : [];
    });
  const byKey = new Map([tainted, surfaces, ...found].map((subject) => [keyOf(subject), subject]));
  return [...byKey.values()];
}

export const keyOf = ({ path }: Pick<Subject, 'path'>): string => JSON.stringify(path);

/** The attribute of a condition, even if no tool of the rule has it any more. */
export const subjectOf = ({ path, type, test }: Condition, subjects: readonly Subject[]): Subject =>
  subjects.find((subject) => keyOf(subject) === keyOf({ path })) ?? {
    path,
    type,
    isSet: test === 'contains',
    values: null,
  };

export function testsFor({ path, type, isSet }: Subject): Condition['test'][] {
  const given: Condition['test'][] = path[0] === 'arguments' ? ['given'] : [];
  if (isSet) return ['contains', ...given];
  if (type === 'truth') return ['is', ...given];
  if (type === 'text') return ['is', 'is_not', 'one_of', 'like', ...given];
  return ['is', 'is_not', 'less', 'at_most', 'greater', 'at_least', ...given];
}

/** The default condition for an attribute. */
export function freshCondition(subject: Subject): Condition {
  const values = subject.type === 'truth' ? ['true'] : [subject.values?.[0] ?? ''];
  return { path: subject.path, test: testsFor(subject)[0], type: subject.type, values };
}

export const subjectLabel = ({ path }: Subject): string => subjectName(path);
