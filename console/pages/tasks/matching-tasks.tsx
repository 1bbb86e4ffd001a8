import { Button, Group, Text } from '@mantine/core';
import { IconSubtask } from '@tabler/icons-react';
import { Empty } from '../../kit/empty.tsx';
import { Rows } from '../../kit/rows.tsx';
import { taskColumns } from './task-columns.tsx';
import { type TaskSearch, useTaskSearch } from './use-task-search.ts';

export function MatchingTasks({ search }: { search: TaskSearch }) {
  const { pages, searchOlder } = useTaskSearch(search);
  return (
    <>
      <Rows
        label="Tasks"
        pages={pages}
        columns={taskColumns}
        keyOf={({ id }) => id}
        to={({ id }) => `/tasks/${id}`}
        empty={
          <Empty icon={IconSubtask} title="No matching tasks">
            {searchOlder ? 'None of the newest tasks match.' : 'Use other words, or remove a filter.'}
          </Empty>
        }
      />
      {searchOlder && (
        <Group mt="md" gap="sm">
          <Button variant="default" onClick={searchOlder} loading={pages.isFetching}>
            Search older tasks
          </Button>
          <Text size="sm" c="dimmed">
            The text of tasks is encrypted, so a search covers 2,000 tasks at a time.
          </Text>
        </Group>
      )}
    </>
  );
}
