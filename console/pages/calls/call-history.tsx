import { Text } from '@mantine/core';
import { type Column, Rows } from '../../kit/rows.tsx';
import { singlePage } from '../../kit/single-page.ts';
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

type CallEvent = CallRecord['events'][number];

const columns: Column<CallEvent>[] = [
  { label: 'Event', cell: ({ kind }) => eventNames[kind] ?? kind },
  { label: 'Attempt', cell: ({ attempt }) => attempt ?? '–', isFigure: true, width: '7rem' },
  {
    label: 'Duration',
    cell: ({ milliseconds }) => (milliseconds === null ? '–' : `${milliseconds} ms`),
    isFigure: true,
    width: '9rem',
  },
  { label: 'By', cell: ({ actorName }) => (actorName ? <Untrusted text={actorName} /> : '–'), isMinor: true },
  { label: 'Time', cell: ({ at }) => <When at={at} />, width: '11rem' },
];

/** The decision and each attempt, with their times. */
export const CallHistory = ({ events }: { events: CallRecord['events'] }) => (
  <Rows
    label="History"
    pages={singlePage(events)}
    columns={columns}
    keyOf={({ at, kind, attempt }) => `${at} ${kind} ${attempt}`}
    empty={
      <Text size="sm" c="dimmed">
        The events of this call are no longer in the audit log.
      </Text>
    }
  />
);
