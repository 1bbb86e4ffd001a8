import { Group } from '@mantine/core';
import { IconSubtask } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type VariablesOf } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { Page } from '../../kit/page.tsx';
import { Rows } from '../../kit/rows.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { taskStateName, taskStates } from '../../features/tasks/states.ts';
import { MatchingTasks } from './matching-tasks.tsx';
import { taskColumns, taskRow } from './task-columns.tsx';

const tasksQuery = graphql(
  `
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
          ...TaskRow
        }
      }
    }
  `,
  [taskRow],
);
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
const quarantined = 'QUARANTINED';
const stateChoices = [
  ...taskStates.map((value) => ({ value: value as string, label: taskStateName(value) })),
  { value: quarantined, label: 'Quarantined' },
];

export function Component() {
  const may = useMay();
  const [chosen] = useFilter('state');
  const [configurationId] = useFilter('configuration');
  const [text] = useFilter('search');
  const state = taskStates.find((known) => known === chosen) ?? null;
  const filter = { state, isQuarantined: chosen === quarantined || null, configurationId };
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
        <SearchFilter name="search" label="Search by question, id, or caller" />
        <ChoiceFilter name="state" label="State" data={stateChoices} />
        {may('policies:read') && <ConfigurationFilter />}
      </Group>
      {text ? <MatchingTasks search={{ ...filter, text }} /> : <AllTasks filter={filter} />}
    </Page>
  );
}

type Filter = Pick<VariablesOf<typeof tasksQuery>, 'state' | 'isQuarantined' | 'configurationId'>;

function AllTasks({ filter }: { filter: Filter }) {
  const pages = usePages({ query: tasksQuery, variables: filter, pick: (data) => data.tasks, news: 'task' });
  return (
    <Rows
      label="Tasks"
      pages={pages}
      columns={taskColumns}
      keyOf={({ id }) => id}
      to={({ id }) => `/tasks/${id}`}
      empty={<NoTasks isFiltered={Object.values(filter).some(Boolean)} />}
    />
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
