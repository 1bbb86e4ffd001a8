import { visible } from '../../../kit/visible.ts';
import type { Vocabulary } from './policy-query.ts';
import type { Condition, Rule } from './use-policy-check.ts';

/* Plain-text descriptions of a rule. They contain untrusted names: render them with <Untrusted>. */

export const decisionNames = { allow: 'Allow', approval: 'Require approval', forbid: 'Forbid' } as const;

export const effectChoices = [
  { value: 'read', label: 'All read-only tools' },
  { value: 'write', label: 'All write tools' },
  { value: 'destructive', label: 'All destructive tools' },
];

export function describePrincipal(
  { kind, id }: Rule['who'],
  { groups, agents }: Pick<Vocabulary, 'groups' | 'agents'>,
): string {
  const nameIn = (list: readonly { id: string; name: string }[]) => list.find((one) => one.id === id)?.name ?? id ?? '';
  switch (kind) {
    case 'everybody':
      return 'Everyone';
    case 'members':
      return 'People';
    case 'agents':
      return 'Agents';
    case 'group':
      return `Group ${nameIn(groups)}`;
    case 'agent':
      return `Agent ${nameIn(agents)}`;
    case 'member':
      return `Member ${id}`;
  }
}

export function describeTools({ actions, connection }: Pick<Rule, 'actions' | 'connection'>): string {
  const names = actions.map((name) => effectChoices.find(({ value }) => value === name)?.label.toLowerCase() ?? name);
  const what = names.length ? names.join(', ') : 'all tools';
  return connection === null ? what : `${what} of ${connection}`;
}

export const operatorNames: Record<Condition['test'], string> = {
  is: 'is',
  is_not: 'is not',
  less: 'is less than',
  at_most: 'is at most',
  greater: 'is more than',
  at_least: 'is at least',
  one_of: 'is one of',
  contains: 'contains',
  like: 'matches',
  given: 'is present',
};

export function attributeName(path: readonly string[]): string {
  if (path[0] === 'surface') return 'Surface';
  if (path[0] === 'tainted') return 'Task read external content';
  return visible(path.slice(1).join('.'));
}

export function describeCondition({ path, test, type, values }: Condition): string {
  if (path[0] === 'tainted')
    return values[0] === 'true' ? 'the task read external content' : 'the task read no external content';
  const subject = path[0] === 'surface' ? 'the surface' : path.slice(1).join('.');
  if (test === 'given') return `${subject} is present`;
  const shownValues = type === 'text' ? values.map((value) => `“${value}”`) : values;
  return `${subject} ${operatorNames[test]} ${shownValues.join(', ')}`;
}
