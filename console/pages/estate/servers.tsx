import { Group, Stack, Text } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { ApprovalBadge } from './approval-badge.tsx';
import { packageName } from './definition.tsx';
import { oneOf, transportChoices, transportNames, transports } from './labels.ts';

const serversQuery = graphql(`
  query EstateServers($search: String, $transport: EstateTransport, $isGone: Boolean!, $first: Int!, $after: String) {
    estateServers(search: $search, transport: $transport, isGone: $isGone, first: $first, after: $after) {
      nodes {
        id
        name
        transport
        command
        url
        package {
          manager
          name
        }
        fileCount
        sourceCount
        definitionCount
        approvedDefinitionCount
        lastSeen
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Server = ResultOf<typeof serversQuery>['estateServers']['nodes'][number];

/** MCP servers; one row for all deployments of a server. */
export function Component() {
  const [search] = useFilter('search');
  const [transport] = useFilter('transport');
  const [gone] = useFilter('gone');
  const pages = usePages({
    query: serversQuery,
    variables: { search, transport: oneOf(transports, transport), isGone: gone === 'gone' },
    pick: ({ estateServers }) => estateServers,
    news: 'estate',
  });
  return (
    <>
      <Group mb="md" gap="xs">
        <SearchFilter name="search" label="Search by name, command, package, or host" />
        <ChoiceFilter name="transport" label="Transport" data={transportChoices} />
        <ChoiceFilter name="gone" label="Declared servers" data={[{ value: 'gone', label: 'No longer declared' }]} />
      </Group>
      <Rows
        label="Servers"
        pages={pages}
        keyOf={({ id }) => id}
        to={({ id }) => `/estate/servers/${id}`}
        columns={columns}
        empty={
          <Empty icon={IconServer} title="No servers found">
            Change the filters, or add a device or folder under “Sources”.
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<Server>[] = [
  {
    label: 'Server',
    width: '42%',
    cell: (server) => (
      <Stack gap={2}>
        <Untrusted text={server.name} />
        <Text size="xs" c="dimmed" fw={400}>
          <Untrusted
            text={server.package ? packageName(server.package) : (server.url ?? server.command ?? 'unknown')}
          />
        </Text>
      </Stack>
    ),
  },
  { label: 'Approval', cell: (server) => <ApprovalBadge server={server} /> },
  { label: 'Transport', cell: ({ transport }) => transportNames[transport] },
  { label: 'Devices and folders', isFigure: true, cell: ({ sourceCount }) => count(sourceCount) },
  { label: 'Files', isFigure: true, cell: ({ fileCount }) => count(fileCount) },
  { label: 'Definitions', isFigure: true, isMinor: true, cell: ({ definitionCount }) => count(definitionCount) },
  { label: 'Last seen', isMinor: true, cell: ({ lastSeen }) => <When at={lastSeen} /> },
];
