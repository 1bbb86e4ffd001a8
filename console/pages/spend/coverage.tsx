import { Button, Group, Paper, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { FailedSync, isStalled } from '../../kit/failed-sync.tsx';
import { count, dollars } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { Calendar } from './calendar.tsx';
import { PeriodBar } from './period-bar.tsx';
import { dayName } from './period.ts';
import { SyncRuns } from './sync-runs.tsx';
import { NoUsageYet } from './data-quality.tsx';

const feedsQuery = graphql(`
  query SpendFeeds {
    spendFeeds {
      connectionId
      connectionName
      dataSince
      isSyncing
      nextAt
      waitUntil
      trouble
      errorDetail
      failedAttempts
      seats
      drift {
        askedAt
        cycleStart
        ourCents
        vendorCents
        differenceCents
        missingDays
      }
    }
  }
`);
const syncSpend = graphql(`
  mutation SyncSpend($input: SyncSpendInput!) {
    syncSpend(input: $input) {
      id
    }
  }
`);
type Feed = ResultOf<typeof feedsQuery>['spendFeeds'][number];

/** The coverage of each day, sync runs, and the comparison with the vendor's total. */
export function Component() {
  const [result, refetch] = useQuery({ query: feedsQuery });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ spendFeeds }) => (spendFeeds.length ? <Feeds feeds={spendFeeds} /> : <NoUsageYet />)}
    </Loaded>
  );
}

function Feeds({ feeds }: { feeds: readonly Feed[] }) {
  const [chosen, choose] = useFilter('connection');
  const feed = feeds.find(({ connectionId }) => connectionId === chosen) ?? feeds[0];
  return (
    <>
      <PeriodBar by={[]}>
        {feeds.length > 1 && (
          <Select
            label="Integration"
            size="sm"
            data={feeds.map(({ connectionId, connectionName }) => ({
              value: connectionId,
              label: visible(connectionName),
            }))}
            value={feed.connectionId}
            allowDeselect={false}
            onChange={choose}
          />
        )}
      </PeriodBar>
      <Stack gap="lg" key={feed.connectionId}>
        <FailedSync of={feed} />
        <Calendar connectionId={feed.connectionId} />
        <FeedSummary feed={feed} />
        <SyncRuns connectionId={feed.connectionId} isStalled={isStalled(feed)} />
      </Stack>
    </>
  );
}

function FeedSummary({ feed }: { feed: Feed }) {
  const { connectionId, connectionName, dataSince, isSyncing, nextAt, waitUntil, seats, drift } = feed;
  const may = useMay();
  const sync = useChange(syncSpend, { done: 'Sync started. The calendar updates as days arrive.', isLoud: true });
  return (
    <Paper p="md" component="section" aria-labelledby="feed">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="feed">
          <Untrusted text={connectionName} />
        </Title>
        {may('spend:manage') && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={sync.isSending}
            onClick={() => void sync.send({ input: { connectionId, days: 3 } })}
          >
            Sync last 3 days
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Fact label="Data since">{dataSince ? dayName(dataSince) : 'No data yet'}</Fact>
        <Fact label="Seats">{count(seats)}</Fact>
        <Fact label="Next sync">{isSyncing ? 'In progress' : <When at={waitUntil ?? nextAt} />}</Fact>
        <Fact label="Difference to vendor total">{drift ? <Drift {...drift} /> : 'The vendor provides no total'}</Fact>
      </SimpleGrid>
    </Paper>
  );
}

const Fact = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text size="sm" component="div" className="figures">
      {children}
    </Text>
  </div>
);

const Drift = ({
  cycleStart,
  ourCents,
  vendorCents,
  differenceCents,
  missingDays,
  askedAt,
}: NonNullable<Feed['drift']>) => (
  <>
    <b>{Number(differenceCents) === 0 ? 'No difference' : `${dollars(differenceCents)} difference`}</b>
    <Text size="xs" c="dimmed" component="div">
      Since {dayName(cycleStart)}: recorded {dollars(ourCents)}, vendor {dollars(vendorCents)}, checked{' '}
      <When at={askedAt} />
      {missingDays > 0 && `; days not synced: ${missingDays}`}
    </Text>
  </>
);
