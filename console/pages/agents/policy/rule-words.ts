import { visible } from '../../../kit/visible.ts';
import type { Vocabulary } from './policy-query.ts';
import type { Condition, Rule } from './use-check.ts';

/* A rule in words: texts alone, shown by <Untrusted>. */

export const verdictNames = { allow: 'Allow', approval: 'Ask first', forbid: 'Forbid' } as const;

export const effectChoices = [
  { value: 'read', label: 'Everything that reads' },
  { value: 'write', label: 'Everything that writes' },
  { value: 'destructive', label: 'Everything destructive' },
];

export function whoWords({ kind, id }: Rule['who'], { groups, agents }: Vocabulary): string {
  const named = (list: readonly { id: string; name: string }[]) => list.find((one) => one.id === id)?.name ?? id ?? '';
  switch (kind) {
    case 'everybody':
      return 'Everybody';
    case 'members':
      return 'People';
    case 'agents':
      return 'Agents';
    case 'group':
      return `The group ${named(groups)}`;
    case 'agent':
      return `The agent ${named(agents)}`;
    case 'member':
      return `The member ${id}`;
  }
}

export function whatWords({ actions, connection }: Pick<Rule, 'actions' | 'connection'>): string {
  const named = actions.map((name) => effectChoices.find(({ value }) => value === name)?.label.toLowerCase() ?? name);
  const what = named.length ? named.join(', ') : 'every tool';
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
  like: 'looks like',
  given: 'is given',
};

export function subjectName(path: readonly string[]): string {
  if (path[0] === 'surface') return 'The way it came (surface)';
  if (path[0] === 'tainted') return 'The task has read text from outside';
  return visible(path.slice(1).join('.'));
}

export function conditionWords({ path, test, type, values }: Condition): string {
  if (path[0] === 'tainted')
    return values[0] === 'true' ? 'the task has read text from outside' : 'the task has read nothing from outside';
  const subject = path[0] === 'surface' ? 'the surface' : path.slice(1).join('.');
  if (test === 'given') return `${subject} is given`;
  const said = type === 'text' ? values.map((value) => `“${value}”`) : values;
  return `${subject} ${testNames[test]} ${said.join(', ')}`;
}
