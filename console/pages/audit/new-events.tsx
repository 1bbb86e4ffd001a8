import { Button, Group } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { consoleEventKinds } from '../../../src/console/events/console-event-kinds.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import type { Pages } from '../../kit/use-pages.ts';
import { eventsQuery, type EventRow } from './event-query.ts';
import type { Search } from './use-search.ts';

/** Offers to load new events instead of moving the list while a person reads it. */
export function NewEvents({ search, pages }: { search: Search; pages: Pages<EventRow> }) {
  const newest = pages.nodes?.[0];
  const [{ data }, refetch] = useQuery({
    query: eventsQuery,
    variables: { ...search, from: newest?.at ?? search.from, first: 1 },
    pause: true,
  });
  useChangeEvents(consoleEventKinds, () => (newest ? refetch({ requestPolicy: 'network-only' }) : pages.refetch()));
  const found = data?.auditEvents.nodes[0];
  return (
    <Group justify="center" role="status">
      {newest && found && found.id > newest.id && (
        <Button
          variant="light"
          size="compact-sm"
          mb="sm"
          leftSection={<IconArrowUp size={14} aria-hidden />}
          onClick={pages.refetch}
        >
          Show new events
        </Button>
      )}
    </Group>
  );
}
