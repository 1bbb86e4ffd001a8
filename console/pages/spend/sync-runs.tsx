import { Text } from '@mantine/core';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { count } from '../../kit/figures.ts';
import { PlainSection } from '../../kit/plain-section.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { rangeName } from './period.ts';

const runsQuery = graphql(`
  query SpendRuns($connectionId: ID!, $first: Int!, $after: String) {
    spendRuns(connectionId: $connectionId, first: $first, after: $after) {
      nodes {
        id
        kind
        state
        fromDay
        toDay
        startedAt
        endedAt
        daysDone
        daysTotal
        daysChanged
        requests
        detail
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Run = ResultOf<typeof runsQuery>['spendRuns']['nodes'][number];

const triggers: Record<Run['kind'], string> = {
  asked: 'Manual',
  backfill: 'Backfill',
  hourly: 'Hourly',
  daily: 'Daily',
  weekly: 'Weekly',
};
const tones = { done: 'completed', failed: 'failed', running: 'working' } as const;
const stateNames = { done: 'Complete', failed: 'Failed', running: 'Running' };

/** `isStalled`: the last attempt failed and the next one has not started. */
const columnsOf = (isStalled: boolean): readonly Column<Run>[] => [
  { label: 'Days', width: '32%', cell: ({ fromDay, toDay }) => rangeName({ from: fromDay, to: toDay }) },
  { label: 'Trigger', cell: ({ kind }) => triggers[kind] },
  {
    label: 'Status',
    cell: ({ state, detail }) => (
      <div>
        {isStalled && state === 'running' ? (
          <StateBadge state="waiting" label="Waiting to retry" />
        ) : (
          <StateBadge state={tones[state]} label={stateNames[state]} />
        )}
        {detail && (
          <Text size="xs" c="dimmed">
            {detail}
          </Text>
        )}
      </div>
    ),
  },
  { label: 'Days synced', isFigure: true, cell: ({ daysDone, daysTotal }) => `${daysDone} of ${daysTotal}` },
  { label: 'Days changed', isFigure: true, cell: ({ daysChanged }) => count(daysChanged) },
  { label: 'Requests', isFigure: true, isMinor: true, cell: ({ requests }) => count(requests) },
  { label: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
];

/** Sync runs of the last 90 days. */
export function SyncRuns({ connectionId, isStalled }: { connectionId: string; isStalled: boolean }) {
  const pages = usePages({
    query: runsQuery,
    variables: { connectionId },
    pick: ({ spendRuns }) => spendRuns,
    news: 'spend',
  });
  return (
    <PlainSection title="Sync runs">
      <Rows
        label="Sync runs"
        pages={pages}
        keyOf={({ id }) => id}
        columns={columnsOf(isStalled)}
        empty={
          <Text size="sm" c="dimmed">
            No sync runs yet.
          </Text>
        }
      />
    </PlainSection>
  );
}
