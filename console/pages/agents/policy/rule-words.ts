import { visible } from '../../../kit/visible.ts';
import type { Vocabulary } from './policy-query.ts';
import type { Condition, Rule } from './use-check.ts';

/* Plain-text descriptions of a rule. They contain untrusted names: render them with <Untrusted>. */

export const verdictNames = { allow: 'Allow', approval: 'Require approval', forbid: 'Forbid' } as const;

export const effectChoices = [
  { value: 'read', label: 'All read-only tools' },
  { value: 'write', label: 'All write tools' },
  { value: 'destructive', label: 'All destructive tools' },
];

export function whoWords({ kind, id }: Rule['who'], { groups, agents }: Vocabulary): string {
  const named = (list: readonly { id: string; name: string }[]) => list.find((one) => one.id === id)?.name ?? id ?? '';
  switch (kind) {
    case 'everybody':
      return 'Everyone';
    case 'members':
      return 'People';
    case 'agents':
      return 'Agents';
    case 'group':
      return `Group ${named(groups)}`;
    case 'agent':
      return `Agent ${named(agents)}`;
    case 'member':
      return `Member ${id}`;
  }
}

export function whatWords({ actions, connection }: Pick<Rule, 'actions' | 'connection'>): string {
  const named = actions.map((name) => effectChoices.find(({ value }) => value === name)?.label.toLowerCase() ?? name);
  const what = named.length ? named.join(', ') : 'all tools';
  return connection === null ? what : `${what} of ${connection}`;
}

export const testNames: Record<Condition['test'], string> = {
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

export function subjectName(path: readonly string[]): string {
  if (path[0] === 'surface') return 'Surface';
  if (path[0] === 'tainted') return 'Task read external content';
  return visible(path.slice(1).join('.'));
}

export function conditionWords({ path, test, type, values }: Condition): string {
  if (path[0] === 'tainted')
    return values[0] === 'true' ? 'the task read external content' : 'the task read no external content';
  const subject = path[0] === 'surface' ? 'the surface' : path.slice(1).join('.');
  if (test === 'given') return `${subject} is present`;
  const said = type === 'text' ? values.map((value) => `“${value}”`) : values;
  return `${subject} ${testNames[test]} ${said.join(', ')}`;
}
