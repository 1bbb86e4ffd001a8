import { IconSubtask } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { taskStateName } from '../../features/tasks/states.ts';
import { CallerName } from './caller-name.tsx';

const query = graphql(`
  query ConfigurationTasks($id: ID!, $first: Int!, $after: String) {
    tasks(configurationId: $id, first: $first, after: $after) {
      nodes {
        id
        externalId
        question
        state
        caller
        turns
        createdAt
        updatedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

type ConfigurationTaskRow = ResultOf<typeof query>['tasks']['nodes'][number];

const columns: Column<ConfigurationTaskRow>[] = [
  { label: 'Task', cell: ({ question, externalId }) => <Untrusted text={question ?? externalId} />, width: '30%' },
  {
    label: 'State',
    cell: ({ state }) => <StateBadge state={state.toLowerCase()} label={taskStateName(state)} />,
    width: '10rem',
  },
  { label: 'Caller', cell: ({ caller }) => <CallerName caller={caller} /> },
  { label: 'Turns', cell: ({ turns }) => turns, isFigure: true, isMinor: true, width: '5rem' },
  { label: 'Submitted', cell: ({ createdAt }) => <When at={createdAt} />, width: '9rem' },
  { label: 'Last updated', cell: ({ updatedAt }) => <When at={updatedAt} />, isMinor: true, width: '9rem' },
];

export function Tasks({ configurationId }: { configurationId: string }) {
  const variables = { id: configurationId };
  const pages = usePages({ query, variables, pick: ({ tasks }) => tasks, news: 'task' });
  return (
    <Rows
      label="Tasks"
      pages={pages}
      columns={columns}
      keyOf={({ id }) => id}
      to={({ id }) => `/tasks/${id}`}
      empty={
        <Empty icon={IconSubtask} title="No tasks yet">
          Tasks that agents send appear here. Use the A2A tab to send a test task.
        </Empty>
      }
    />
  );
}
