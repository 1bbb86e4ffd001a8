import { Text } from '@mantine/core';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import type { ReplayedChange } from './use-replay.ts';
import { verdictName } from './verdict-name.ts';

const columns: Column<ReplayedChange>[] = [
  {
    label: 'Tool',
    cell: ({ tool }) => (
      <Text size="sm" ff="monospace" span>
        <Untrusted text={tool} />
      </Text>
    ),
    width: '26%',
  },
  { label: 'Live revision', cell: ({ before }) => <Untrusted text={verdictName(before)} /> },
  {
    label: 'This text',
    cell: ({ after, reason }) => (
      <>
        <Untrusted text={verdictName(after)} />
        <Text size="xs" c="dimmed" lineClamp={2}>
          <Untrusted text={reason} />
        </Text>
      </>
    ),
  },
  { label: 'Caller', cell: ({ caller }) => <Untrusted text={caller} />, isMinor: true },
  { label: 'Requested', cell: ({ requestedAt }) => <When at={requestedAt} />, width: '9rem' },
];

/** The replay itself loads the pages. */
const loadedPages = { hasMore: false, isFetching: false, problem: null, more: () => {}, refetch: () => {} };

/** The calls whose verdict would change. A call of a task links to the task, any other call to its audit events. */
export const ReplayedCalls = ({ changes }: { changes: ReplayedChange[] }) => (
  <Rows
    label="Changed calls"
    pages={{ ...loadedPages, nodes: changes, totalCount: changes.length }}
    columns={columns}
    keyOf={({ callId }) => callId}
    to={({ callId, taskId }) => (taskId ? `/tasks/${taskId}` : `/audit?subject=${callId}`)}
    empty={null}
  />
);
