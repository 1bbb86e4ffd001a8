import { Table, Text } from '@mantine/core';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { CallRecord } from './call-query.ts';

const eventNames: Record<string, string> = {
  requested: 'Requested',
  denied: 'Denied',
  started: 'Attempt started',
  succeeded: 'Succeeded',
  failed: 'Failed',
  unsettled: 'Outcome unknown',
  settled: 'Outcome resolved',
  replayed: 'Outcome returned again',
};

/** The decision and each attempt, with their times. */
export const CallHistory = ({ events }: { events: CallRecord['events'] }) =>
  events.length ? (
    <Table aria-label="History">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>Event</Table.Th>
          <Table.Th>Attempt</Table.Th>
          <Table.Th>Duration</Table.Th>
          <Table.Th>By</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map(({ at, kind, attempt, milliseconds, actorName }, nth) => (
          <Table.Tr key={nth}>
            <Table.Td>
              <When at={at} />
            </Table.Td>
            <Table.Td>{eventNames[kind] ?? kind}</Table.Td>
            <Table.Td>{attempt ?? '–'}</Table.Td>
            <Table.Td>{milliseconds === null ? '–' : `${milliseconds} ms`}</Table.Td>
            <Table.Td>{actorName ? <Untrusted text={actorName} /> : '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  ) : (
    <Text size="sm" c="dimmed">
      The events of this call are no longer in the audit log.
    </Text>
  );
