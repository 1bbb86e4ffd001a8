import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { findingsOf, HealthBadge } from '../../features/integrations/health.tsx';
import { useConnectors } from '../../features/integrations/connectors.ts';
import { SpendSyncLine, KnowledgeSyncLine } from './sync-line.tsx';

const query = graphql(`
  query Integrations($first: Int!, $after: String) {
    connections(first: $first, after: $after) {
      nodes {
        id
        kind
        name
        slug
        status
        statusReason
        verifiedAt
        pausedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const syncQuery = graphql(`
  query IntegrationsSync($canManageKnowledge: Boolean!, $canReadSpend: Boolean!) {
    toolsPendingReview {
      id
      connectionId
    }
    knowledgeSources @include(if: $canManageKnowledge) {
      connectionId
      state
      seen
      expected
      isIncremental
      documentCount
      completeAt
    }
    spendFeeds @include(if: $canReadSpend) {
      connectionId
      isSyncing
      trouble
      nextAt
      open {
        id
        daysDone
        daysTotal
      }
    }
  }
`);

type IntegrationRow = ResultOf<typeof query>['connections']['nodes'][number];

const addButton = (
  <Button component={Link} to="/integrations/new" leftSection={<IconPlus size={16} aria-hidden />}>
    Add integration
  </Button>
);

export function Component() {
  const pages = usePages({ query, variables: {}, pick: ({ connections }) => connections, news: 'connection' });
  const columns = useColumns();
  return (
    <Page
      title="Integration settings"
      lead="Connected systems that provide tools, knowledge, language models, and spend data."
      actions={addButton}
    >
      <Rows
        label="Integrations"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/integrations/${id}`}
        empty={
          <Empty icon={IconPlugConnected} title="No integrations yet" action={addButton}>
            Connect one to give agents tools and knowledge, or to track AI spend.
          </Empty>
        }
      />
    </Page>
  );
}

function useColumns(): Column<IntegrationRow>[] {
  const may = useMay();
  const variables = { canManageKnowledge: may('knowledge:manage'), canReadSpend: may('spend:read') };
  const [{ data }, refetch] = useQuery({ query: syncQuery, variables });
  useChangeEvents(['connection', 'source', 'spend'], () => refetch({ requestPolicy: 'network-only' }));
  const [{ data: connectors }] = useConnectors();
  const kindOf = (id: string) => connectors?.connectors.find((kind) => kind.id === id)?.title ?? id;
  const of = <Part extends { connectionId: string }>(parts: readonly Part[] | undefined, { id }: IntegrationRow) =>
    parts?.filter(({ connectionId }) => connectionId === id) ?? [];
  return [
    { label: 'Integration', cell: (row) => <Name row={row} kind={kindOf(row.kind)} />, width: '28%' },
    {
      label: 'Status',
      cell: (row) => <IntegrationStatus row={row} blockedCount={of(data?.toolsPendingReview, row).length} />,
      width: '30%',
    },
    {
      label: 'Sync',
      cell: (row) => (
        <Stack gap={4}>
          {of(data?.knowledgeSources, row).map((source) => (
            <KnowledgeSyncLine key="source" source={source} />
          ))}
          {of(data?.spendFeeds, row).map((feed) => (
            <SpendSyncLine key="feed" feed={feed} />
          ))}
        </Stack>
      ),
    },
    { label: 'Last tested', cell: ({ verifiedAt }) => <When at={verifiedAt} />, width: '9rem', isMinor: true },
  ];
}

const Name = ({ row, kind }: { row: IntegrationRow; kind: string }) => (
  <>
    <Untrusted text={row.name} />
    <Text size="xs" c="dimmed" fw={400}>
      {kind}
    </Text>
  </>
);

const IntegrationStatus = ({ row, blockedCount }: { row: IntegrationRow; blockedCount: number }) => (
  <Stack gap={4} align="flex-start">
    <Group gap={6}>
      <HealthBadge of={row} />
      {blockedCount > 0 && (
        <Badge color="yellow" autoContrast>
          {blockedCount === 1 ? '1 tool blocked' : `${blockedCount} tools blocked`}
        </Badge>
      )}
    </Group>
    {row.statusReason && !row.pausedAt && (
      <Text size="xs" c="dimmed" lineClamp={2}>
        <Untrusted text={findingsOf(row.statusReason)[0].sentence} />
      </Text>
    )}
  </Stack>
);
