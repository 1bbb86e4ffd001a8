import { Badge, Group, NumberInput, Paper, Progress, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { IconArmchair } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { UnitFilter } from './period-bar.tsx';
import { dayName } from './period.ts';
import { IndividualUsageGuard } from './individual-usage-guard.tsx';
import { useUnits } from './use-units.ts';

const seatsQuery = graphql(`
  query SpendSeats($groupIds: [ID!], $idleDays: Int!) {
    spendSeats(groupIds: $groupIds, idleDays: $idleDays) {
      seats
      active
      idle
      neverUsed
    }
  }
`);
const idleQuery = graphql(`
  query SpendIdleSeats($groupIds: [ID!], $idleDays: Int!, $neverUsed: Boolean!, $first: Int!, $after: String) {
    spendIdleSeats(groupIds: $groupIds, idleDays: $idleDays, neverUsed: $neverUsed, first: $first, after: $after) {
      nodes {
        identityId
        connectionId
        groupId
        name
        lastActive
        seatSince
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The filters from the query parameters. Seats have no period: they are about today. */
function useSeatFilters() {
  const [params] = useSearchParams();
  const days = Number(params.get('idle') ?? 30);
  const groupIds = params.getAll('group');
  return {
    idleDays: Number.isInteger(days) && days >= 1 && days <= 365 ? days : 30,
    groupIds: groupIds.length ? groupIds : undefined,
  };
}

export function Component() {
  const filters = useSeatFilters();
  const [, setIdle] = useFilter('idle');
  const [result, refetch] = useQuery({ query: seatsQuery, variables: filters });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <>
      <Group gap="xs" align="flex-end" mb="md">
        <NumberInput
          label="Idle after (days without use)"
          size="sm"
          w={{ base: '100%', xs: 220 }}
          min={1}
          max={365}
          allowDecimal={false}
          value={filters.idleDays}
          onChange={(days) => setIdle(days ? String(days) : null)}
        />
        <UnitFilter name="group" kind="group" label="Group" all="All groups" />
      </Group>
      <Loaded result={result} refetch={refetch}>
        {({ spendSeats: seats }) =>
          seats.seats ? (
            <Counts {...seats} idleDays={filters.idleDays} />
          ) : (
            <Empty icon={IconArmchair} title="No seats yet">
              Seats appear after the first sync of an integration.
            </Empty>
          )
        }
      </Loaded>
      <PlainSection title="Idle seats">
        <IndividualUsageGuard>
          <Idle />
        </IndividualUsageGuard>
      </PlainSection>
    </>
  );
}

function Counts({
  seats,
  active,
  idle,
  neverUsed,
  idleDays,
}: Record<'seats' | 'active' | 'idle' | 'neverUsed' | 'idleDays', number>) {
  return (
    <Paper p="md" mb="xl">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure label="Paid seats" value={seats} />
        <Figure label={`Used in the last ${idleDays} days`} value={active} />
        <Figure label="Idle" value={idle} />
        <Figure label="Never used" value={neverUsed} />
      </SimpleGrid>
      <Progress value={(active / seats) * 100} mt="md" size={6} aria-label={`${active} of ${seats} seats used`} />
    </Paper>
  );
}

const Figure = ({ label, value }: { label: string; value: number }) => (
  <div>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz="1.4rem" fw={620} className="figures">
      {count(value)}
    </Text>
  </div>
);

function Idle() {
  const filters = useSeatFilters();
  const [only, setOnly] = useFilter('seats');
  const { units } = useUnits('group');
  const pages = usePages({
    query: idleQuery,
    variables: { ...filters, neverUsed: only === 'never' },
    pick: ({ spendIdleSeats }) => spendIdleSeats,
    news: 'spend',
  });
  const groupOf = (id: string | null) => units?.find((unit) => unit.id === id)?.name;
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label="Filter idle seats"
        data={[
          { value: 'all', label: 'All idle' },
          { value: 'never', label: 'Never used' },
        ]}
        value={only === 'never' ? 'never' : 'all'}
        onChange={(value) => setOnly(value === 'never' ? value : null)}
      />
      <Rows
        label="Idle seats"
        pages={pages}
        keyOf={({ identityId }) => String(identityId)}
        columns={[
          { label: 'Person', width: '36%', cell: ({ name }) => <Untrusted text={name ?? 'Unattributed'} /> },
          { label: 'Group', cell: ({ groupId }) => <Untrusted text={groupOf(groupId) ?? '–'} /> },
          {
            label: 'Last used',
            cell: ({ lastActive }) => (lastActive ? dayName(lastActive) : <Badge color="gray">Never</Badge>),
          },
          { label: 'Seat since', isMinor: true, cell: ({ seatSince }) => <When at={seatSince} never="Unknown" /> },
        ]}
        empty={
          <Empty icon={IconArmchair} title="No idle seats">
            All seats were used in this time.
          </Empty>
        }
      />
    </>
  );
}
