import { Text } from '@mantine/core';
import { IconRobot } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { Names } from './names.tsx';

const query = graphql(`
  query Configurations($first: Int!, $after: String) {
    configurations(first: $first, after: $after) {
      nodes {
        id
        name
        description
        pausedAt
        lastKeyUseAt
        groups {
          id
          name
        }
        connections {
          id
          name
        }
        mcpClients {
          id
          lastUsedAt
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

type ConfigurationRow = ResultOf<typeof query>['configurations']['nodes'][number];

const columns: Column<ConfigurationRow>[] = [
  { label: 'Configuration', cell: (row) => <NameCell row={row} />, width: '32%' },
  {
    label: 'Status',
    cell: ({ pausedAt }) => (
      <StateBadge state={pausedAt ? 'paused' : 'active'} label={pausedAt ? 'Paused' : 'Active'} />
    ),
    width: '7rem',
  },
  { label: 'Groups', cell: ({ groups }) => <Names of={groups} none="None" /> },
  { label: 'Integrations', cell: ({ connections }) => <Names of={connections} none="None" /> },
  { label: 'Last activity', cell: (row) => <When at={lastActivity(row)} never="Never" />, width: '9rem' },
];

/** The last use of any agent key or assistant. */
const lastActivity = ({ lastKeyUseAt, mcpClients }: ConfigurationRow): string | undefined =>
  [lastKeyUseAt, ...mcpClients.map(({ lastUsedAt }) => lastUsedAt)]
    .filter((at) => at !== null)
    .toSorted()
    .at(-1);

const NameCell = ({ row: { name, description } }: { row: ConfigurationRow }) => (
  <>
    <Untrusted text={name} />
    {description && (
      <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
        <Untrusted text={description} />
      </Text>
    )}
  </>
);

export function Component() {
  const pages = usePages({
    query,
    variables: {},
    pick: ({ configurations }) => configurations,
    news: ['configuration', 'connection'],
  });
  return (
    <Rows
      label="Configurations"
      pages={pages}
      columns={columns}
      keyOf={({ id }) => id}
      to={({ id }) => `/agents/capabilities/configurations/${id}/overview`}
      empty={
        <Empty icon={IconRobot} title="No configurations yet">
          A configuration combines integrations, a policy, and a language model, and defines who can use them. Create
          one to let agents send tasks.
        </Empty>
      }
    />
  );
}
