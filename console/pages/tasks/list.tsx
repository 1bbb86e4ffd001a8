import { Group } from '@mantine/core';
import { IconSubtask } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { ChoiceFilter } from '../../kit/filters.tsx';
import { count } from '../../kit/figures.ts';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { shownState, taskStateName, taskStates } from '../../features/tasks/states.ts';

const tasksQuery = graphql(`
  query Tasks($state: TaskState, $isQuarantined: Boolean, $configurationId: ID, $first: Int!, $after: String) {
    tasks(
      state: $state
      isQuarantined: $isQuarantined
      configurationId: $configurationId
      first: $first
      after: $after
    ) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        externalId
        state
        isQuarantined
        caller
        configurationName
        turns
        createdAt
      }
    }
  }
`);
const configurationsQuery = graphql(`
  query TaskConfigurations {
    configurations(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);
type TaskRow = ResultOf<typeof tasksQuery>['tasks']['nodes'][number];

const columns: readonly Column<TaskRow>[] = [
  { label: 'Task', cell: ({ externalId }) => <Untrusted text={externalId} /> },
  {
    label: 'State',
    cell: (task) => <StateBadge {...shownState(task)} />,
    width: '10rem',
  },
  { label: 'Caller', cell: ({ caller }) => <Untrusted text={(caller as { name: string }).name} /> },
  {
    label: 'Configuration',
    cell: ({ configurationName }) => <Untrusted text={configurationName ?? '–'} />,
    isMinor: true,
  },
  { label: 'Turns', cell: ({ turns }) => count(turns), isFigure: true, isMinor: true, width: '5rem' },
  { label: 'Submitted', cell: ({ createdAt }) => <When at={createdAt} />, width: '9rem' },
];

const quarantined = 'QUARANTINED';
const stateChoices = [
  ...taskStates.map((value) => ({ value: value as string, label: taskStateName(value) })),
  { value: quarantined, label: 'Quarantined' },
];

export function Component() {
  const may = useMay();
  const [chosen] = useFilter('state');
  const [configurationId] = useFilter('configuration');
  const state = taskStates.find((known) => known === chosen) ?? null;
  const isQuarantined = chosen === quarantined || null;
  const pages = usePages({
    query: tasksQuery,
    variables: { state, isQuarantined, configurationId },
    pick: (data) => data.tasks,
    news: 'task',
  });
  return (
    <Page
      title="Tasks"
      lead={
        may('tasks:read')
          ? 'Tasks submitted by agents, products, and people.'
          : 'Tasks that you submitted, in any product.'
      }
    >
      <Group mb="md" gap="sm">
        <ChoiceFilter name="state" label="State" data={stateChoices} />
        {may('policies:read') && <ConfigurationFilter />}
      </Group>
      <Rows
        label="Tasks"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/tasks/${id}`}
        empty={<NoTasks isFiltered={Boolean(state ?? isQuarantined ?? configurationId)} />}
      />
    </Page>
  );
}

function ConfigurationFilter() {
  const [{ data }] = useQuery({ query: configurationsQuery });
  const nodes = data?.configurations.nodes ?? [];
  return (
    <ChoiceFilter
      name="configuration"
      label="Configuration"
      data={nodes.map(({ id, name }) => ({ value: id, label: visible(name) }))}
    />
  );
}

const NoTasks = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty icon={IconSubtask} title="No matching tasks">
      Remove a filter to see more tasks.
    </Empty>
  ) : (
    <Empty icon={IconSubtask} title="No tasks yet">
      Tasks appear here when an agent sends one with its A2A key, or when a person starts one in a product.
    </Empty>
  );
