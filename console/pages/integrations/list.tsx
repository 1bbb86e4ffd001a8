import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { findingsOf, HealthBadge } from './health.tsx';
import { useKinds } from './kinds.ts';
import { FeedLine, SourceLine } from './reading-line.tsx';

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

const readingQuery = graphql(`
  query IntegrationsSync($isKeeper: Boolean!, $isSpender: Boolean!) {
    heldBackTools {
      id
      connectionId
    }
    knowledgeSources @include(if: $isKeeper) {
      connectionId
      state
      seen
      documentCount
      completeAt
    }
    spendFeeds @include(if: $isSpender) {
      connectionId
      isPulling
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

type Row = ResultOf<typeof query>['connections']['nodes'][number];

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

function useColumns(): Column<Row>[] {
  const may = useMay();
  const variables = { isKeeper: may('knowledge:manage'), isSpender: may('spend:read') };
  const [{ data }, again] = useQuery({ query: readingQuery, variables });
  useNews(['connection', 'source', 'spend'], () => again({ requestPolicy: 'network-only' }));
  const [{ data: catalogue }] = useKinds();
  const kindOf = (id: string) => catalogue?.connectionKinds.find((kind) => kind.id === id)?.title ?? id;
  const of = <Part extends { connectionId: string }>(parts: readonly Part[] | undefined, { id }: Row) =>
    parts?.filter(({ connectionId }) => connectionId === id) ?? [];
  return [
    { label: 'Integration', cell: (row) => <Name row={row} kind={kindOf(row.kind)} />, width: '28%' },
    {
      label: 'Status',
      cell: (row) => <State row={row} heldBack={of(data?.heldBackTools, row).length} />,
      width: '30%',
    },
    {
      label: 'Sync',
      cell: (row) => (
        <Stack gap={4}>
          {of(data?.knowledgeSources, row).map((source) => (
            <SourceLine key="source" source={source} />
          ))}
          {of(data?.spendFeeds, row).map((feed) => (
            <FeedLine key="feed" feed={feed} />
          ))}
        </Stack>
      ),
    },
    { label: 'Last tested', cell: ({ verifiedAt }) => <When at={verifiedAt} />, width: '9rem', isMinor: true },
  ];
}

const Name = ({ row, kind }: { row: Row; kind: string }) => (
  <>
    <Untrusted text={row.name} />
    <Text size="xs" c="dimmed" fw={400}>
      {kind}
    </Text>
  </>
);

const State = ({ row, heldBack }: { row: Row; heldBack: number }) => (
  <Stack gap={4} align="flex-start">
    <Group gap={6}>
      <HealthBadge of={row} />
      {heldBack > 0 && (
        <Badge color="yellow" autoContrast>
          {heldBack === 1 ? '1 tool blocked' : `${heldBack} tools blocked`}
        </Badge>
      )}
    </Group>
    {row.statusReason && row.status !== 'connected' && !row.pausedAt && (
      <Text size="xs" c="dimmed" lineClamp={2}>
        <Untrusted text={findingsOf(row.statusReason)[0].sentence} />
      </Text>
    )}
  </Stack>
);
