import { Button, Menu, Stack, Text, Title } from '@mantine/core';
import { IconChevronDown, IconHistory } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Facts } from '../../kit/facts.tsx';
import { FailedSync, isStalled } from '../../kit/failed-sync.tsx';
import { count, dollars } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { LabeledProgress } from './sync-line.tsx';

const query = graphql(`
  query IntegrationFeed {
    spendFeeds {
      connectionId
      dataSince
      seats
      nextAt
      waitUntil
      trouble
      errorDetail
      failedAttempts
      isSyncing
      drift {
        differenceCents
        missingDays
        askedAt
      }
      open {
        id
        kind
        fromDay
        toDay
        daysDone
        daysTotal
      }
    }
  }
`);
const runsQuery = graphql(`
  query IntegrationRuns($connectionId: ID!, $first: Int!, $after: String) {
    spendRuns(connectionId: $connectionId, first: $first, after: $after) {
      nodes {
        id
        kind
        state
        fromDay
        toDay
        daysDone
        daysTotal
        daysChanged
        rows
        requests
        startedAt
        endedAt
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

type Feed = ResultOf<typeof query>['spendFeeds'][number];
type Run = ResultOf<typeof runsQuery>['spendRuns']['nodes'][number];

/** The sync status of usage and costs. */
export function SpendSyncSection({ connectionId }: { connectionId: string }) {
  const [result, refetch] = useQuery({ query });
  const feed = result.data?.spendFeeds.find((each) => each.connectionId === connectionId);
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <>
      <Section
        title="Usage and costs"
        lead="Today and yesterday sync every hour. Earlier days sync again later, because vendors correct them."
        actions={<SyncMenu connectionId={connectionId} />}
      >
        <Loaded result={result} refetch={refetch}>
          {({ spendFeeds }) => {
            const feed = spendFeeds.find((each) => each.connectionId === connectionId);
            return feed ? (
              <SyncStatus of={feed} />
            ) : (
              <Text size="sm">No sync yet. The first one starts in a moment.</Text>
            );
          }}
        </Loaded>
      </Section>
      <SyncRuns connectionId={connectionId} isStalled={feed !== undefined && isStalled(feed)} />
    </>
  );
}

const syncSpend = graphql(`
  mutation PullSpend($input: SyncSpendInput!) {
    syncSpend(input: $input) {
      id
    }
  }
`);

function SyncMenu({ connectionId }: { connectionId: string }) {
  const may = useMay();
  const { send, isSending } = useChange(syncSpend, { done: 'Sync started.', isLoud: true });
  if (!may('spend:manage')) return null;
  const days = (days: number) => () => void send({ input: { connectionId, days } });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isSending} rightSection={<IconChevronDown size={16} aria-hidden />}>
          Sync now
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={days(2)}>Today and yesterday</Menu.Item>
        <Menu.Item onClick={days(7)}>The last 7 days</Menu.Item>
        <Menu.Item onClick={days(30)}>The last 30 days</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const SyncStatus = ({ of: feed }: { of: Feed }) => (
  <Stack>
    <FailedSync of={feed} />
    {feed.open.map(({ id, kind, fromDay, toDay, daysDone, daysTotal }) => (
      <Stack key={id} gap={6} role="status">
        <Text size="sm">
          {runKindNames[kind]}, {fromDay} to {toDay}: {count(daysDone)} of {count(daysTotal)} days
          {isStalled(feed) && ', waiting to retry'}
        </Text>
        <LabeledProgress
          share={Math.round((daysDone / Math.max(1, daysTotal)) * 100)}
          label={`Synced days: ${runKindNames[kind]}`}
        />
      </Stack>
    ))}
    <Facts
      facts={[
        ['Data since', feed.dataSince ?? 'No data yet'],
        ['Seats', feed.seats !== null && count(feed.seats)],
        ['Difference from vendor total', feed.drift && <VendorDifference of={feed.drift} />],
        ['Next sync', <When key="next" at={feed.waitUntil ?? feed.nextAt} />],
      ]}
    />
  </Stack>
);

const VendorDifference = ({ of: { differenceCents, missingDays, askedAt } }: { of: NonNullable<Feed['drift']> }) => (
  <>
    {Number(differenceCents) === 0 ? 'None' : dollars(differenceCents)}
    {missingDays > 0 && `, ${missingDays === 1 ? '1 day' : `${missingDays} days`} missing`} (<When at={askedAt} />)
  </>
);

const runKindNames: Record<Run['kind'], string> = {
  asked: 'Manual',
  backfill: 'Backfill',
  daily: 'Daily',
  hourly: 'Hourly',
  weekly: 'Weekly',
};

const runStateNames: Record<Run['state'], string> = { running: 'Running', done: 'Done', failed: 'Failed' };

const columnsOf = (isStalled: boolean): Column<Run>[] => [
  { label: 'Run', cell: ({ kind }) => runKindNames[kind] },
  { label: 'Days', cell: ({ fromDay, toDay }) => (fromDay === toDay ? fromDay : `${fromDay} to ${toDay}`) },
  {
    label: 'Status',
    cell: ({ state, detail }) => (
      <>
        {isStalled && state === 'running' ? (
          <StateBadge state="waiting" label="Waiting to retry" />
        ) : (
          <StateBadge state={state} label={runStateNames[state]} />
        )}
        {detail && (
          <Text size="xs" c="dimmed" mt={2}>
            <Untrusted text={detail} />
          </Text>
        )}
      </>
    ),
  },
  {
    label: 'Synced days',
    cell: ({ daysDone, daysTotal }) => `${count(daysDone)} of ${count(daysTotal)}`,
    isFigure: true,
  },
  { label: 'Changed days', cell: ({ daysChanged }) => count(daysChanged), isFigure: true, isMinor: true },
  { label: 'Rows', cell: ({ rows }) => count(rows), isFigure: true, isMinor: true },
  { label: 'Requests', cell: ({ requests }) => count(requests), isFigure: true, isMinor: true },
  { label: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
];

function SyncRuns({ connectionId, isStalled }: { connectionId: string; isStalled: boolean }) {
  const pages = usePages({
    query: runsQuery,
    variables: { connectionId },
    pick: (data) => data.spendRuns,
    news: 'spend',
  });
  return (
    <section aria-label="Sync runs">
      <Title order={2} mb="xs">
        Sync runs
      </Title>
      <Rows
        label="Sync runs"
        pages={pages}
        columns={columnsOf(isStalled)}
        keyOf={({ id }) => id}
        empty={<Empty icon={IconHistory} title="No sync runs yet" />}
      />
    </section>
  );
}
