import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconFileSearch } from '@tabler/icons-react';
import { graphql, type ResultOf, type VariablesOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { FoldedFilters } from '../../kit/folded-filters.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { choicesOf, fileStatus, labelOf, oneOf } from './labels.ts';

const filesQuery = graphql(`
  query EstateFiles(
    $search: String
    $scope: EstateFileScope
    $status: EstateFileStatus
    $isGone: Boolean
    $sourceId: ID
    $serverId: ID
    $first: Int!
    $after: String
  ) {
    estateFiles(
      search: $search
      scope: $scope
      status: $status
      isGone: $isGone
      sourceId: $sourceId
      serverId: $serverId
      first: $first
      after: $after
    ) {
      nodes {
        id
        path
        client
        scope
        status
        entryCount
        lastSeen
        source {
          name
        }
        owner {
          name
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type FileNode = ResultOf<typeof filesQuery>['estateFiles']['nodes'][number];
type Filter = Omit<VariablesOf<typeof filesQuery>, 'first' | 'after'>;

const scopes = ['user', 'project'] as const;
const statuses = ['read', 'partly', 'unreadable', 'quarantined'] as const;
const statusChoices = statuses.map((value) => ({ value, label: fileStatus[value].label }));

/** All known configuration files. */
export function Component() {
  const [search] = useFilter('search');
  const [scope] = useFilter('scope');
  const [status] = useFilter('status');
  const [gone] = useFilter('gone');
  return (
    <>
      <Group mb="md" gap="xs">
        <SearchFilter name="search" label="Search by path" />
        <FoldedFilters activeCount={[scope, status, gone].filter(Boolean).length}>
          <ChoiceFilter name="scope" label="Scope" data={choicesOf(scopes)} />
          <ChoiceFilter name="status" label="Status" data={statusChoices} />
          <ChoiceFilter name="gone" label="Current files" data={[{ value: 'gone', label: 'Removed files' }]} />
        </FoldedFilters>
        <Button
          component="a"
          href="/console/exports/estate.csv"
          download
          variant="default"
          ml="auto"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          Export all as CSV
        </Button>
      </Group>
      <FileRows
        filter={{
          search,
          scope: oneOf(scopes, scope),
          status: oneOf(statuses, status),
          isGone: gone === 'gone',
        }}
      />
    </>
  );
}

export function FileRows({ filter }: { filter: Filter }) {
  const pages = usePages({
    query: filesQuery,
    variables: { isGone: false, ...filter } satisfies Filter as Filter,
    pick: ({ estateFiles }) => estateFiles,
    news: 'estate',
  });
  return (
    <Rows
      label="Files"
      pages={pages}
      keyOf={({ id }) => id}
      to={({ id }) => `/estate/files/${id}`}
      columns={columns}
      empty={
        <Empty icon={IconFileSearch} title="No files found">
          Change the filters, or add a device or folder under “Sources”.
        </Empty>
      }
    />
  );
}

const columns: readonly Column<FileNode>[] = [
  { label: 'File', width: '40%', cell: ({ path }) => <Untrusted text={path} /> },
  {
    label: 'Source',
    cell: ({ source, owner }) => (
      <Stack gap={2}>
        <Untrusted text={source.name} />
        {owner && (
          <Text size="xs" c="dimmed">
            <Untrusted text={owner.name} />
          </Text>
        )}
      </Stack>
    ),
  },
  { label: 'Scope', isMinor: true, cell: ({ scope }) => labelOf(scope) },
  { label: 'Servers', isFigure: true, cell: ({ entryCount }) => count(entryCount) },
  { label: 'Status', cell: ({ status }) => <StateBadge {...fileStatus[status]} /> },
  { label: 'Last seen', cell: ({ lastSeen }) => <When at={lastSeen} /> },
];
