import { graphql, type ResultOf } from '../../api/graphql.ts';
import { count } from '../../kit/figures.ts';
import type { Column } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { shownState } from '../../features/tasks/states.ts';

export const taskRow = graphql(`
  fragment TaskRow on Task @_unmask {
    id
    externalId
    question
    state
    isQuarantined
    caller
    configurationName
    turns
    createdAt
  }
`);
export type TaskRow = ResultOf<typeof taskRow>;

/** Tasks without text, such as exact tool instructions, are listed by their id. */
export const taskColumns: readonly Column<TaskRow>[] = [
  { label: 'Task', cell: ({ question, externalId }) => <Untrusted text={question ?? externalId} /> },
  { label: 'State', cell: (task) => <StateBadge {...shownState(task)} />, width: '10rem' },
  { label: 'Caller', cell: ({ caller }) => <Untrusted text={(caller as { name: string }).name} />, width: '11rem' },
  {
    label: 'Configuration',
    cell: ({ configurationName }) => <Untrusted text={configurationName ?? '–'} />,
    isMinor: true,
    width: '11rem',
  },
  { label: 'Turns', cell: ({ turns }) => count(turns), isFigure: true, isMinor: true, width: '5rem' },
  { label: 'Submitted', cell: ({ createdAt }) => <When at={createdAt} />, width: '9rem' },
];
