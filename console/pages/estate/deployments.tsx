import { Anchor, Button, Drawer, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { ApproveEntry } from './approve.tsx';
import { Definition, entryFields } from './definition.tsx';

const deploymentsQuery = graphql(
  `
    query EstateDeployments($id: ID!, $first: Int!, $after: String) {
      estateServer(id: $id) {
        entries(first: $first, after: $after) {
          nodes {
            ...EntryFields
            file {
              id
              path
              source {
                id
                name
              }
              owner {
                name
              }
            }
          }
          totalCount
          pageInfo {
            hasNextPage
            endCursor
          }
        }
      }
    }
  `,
  [entryFields],
);
type Deployment = ResultOf<typeof deploymentsQuery>['estateServer']['entries']['nodes'][number];

export function Deployments({ serverId }: { serverId: string }) {
  const may = useMay();
  const [shown, setShown] = useState<Deployment | null>(null);
  const [approved, setApproved] = useState<Deployment | null>(null);
  const pages = usePages({
    query: deploymentsQuery,
    variables: { id: serverId },
    pick: ({ estateServer }) => estateServer.entries,
    news: 'estate',
  });
  return (
    <>
      <Rows
        label="Deployments"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          { label: 'Actions', width: '1%', cell: (entry) => <ViewDefinition {...{ entry, setShown }} /> },
        ]}
        empty={<Text size="sm">No file declares this server.</Text>}
      />
      <Drawer
        opened={shown !== null}
        onClose={() => setShown(null)}
        position="right"
        size="lg"
        title={shown && <Untrusted text={shown.name} />}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && (
          <Stack align="flex-start">
            <Definition entry={shown} />
            {may('estate:manage') && !shown.approvedBy && (
              <Button
                variant="default"
                onClick={() => {
                  setShown(null);
                  setApproved(shown);
                }}
              >
                Approve definition
              </Button>
            )}
          </Stack>
        )}
      </Drawer>
      {approved && <ApproveEntry entry={approved} onClose={() => setApproved(null)} />}
    </>
  );
}

const ViewDefinition = ({ entry, setShown }: { entry: Deployment; setShown(entry: Deployment): void }) => (
  <Button
    size="compact-sm"
    variant="default"
    aria-label={`View definition in ${visible(entry.file.path)}`}
    onClick={() => setShown(entry)}
  >
    View definition
  </Button>
);

const columns: readonly Column<Deployment>[] = [
  {
    label: 'File',
    width: '40%',
    cell: ({ file, name }) => (
      <Stack gap={2} align="start">
        <Anchor component={Link} to={`/estate/files/${file.id}`} size="sm">
          <Untrusted text={file.path} />
        </Anchor>
        <Text size="xs" c="dimmed">
          Declared as <Untrusted text={name} />
        </Text>
      </Stack>
    ),
  },
  {
    label: 'Source',
    cell: ({ file: { source, owner } }) => (
      <Stack gap={2}>
        <Anchor component={Link} to={`/estate/sources/${source.id}`} size="sm">
          <Untrusted text={source.name} />
        </Anchor>
        {owner && (
          <Text size="xs" c="dimmed">
            <Untrusted text={owner.name} />
          </Text>
        )}
      </Stack>
    ),
  },
  {
    label: 'Version',
    cell: ({ package: from }) => (from ? <Untrusted text={from.versionSpec ?? 'not specified'} /> : '–'),
  },
  {
    label: 'Approval',
    cell: ({ approvedBy }) => <StateBadge state={approvedBy ? 'approved' : 'not_approved'} />,
  },
  { label: 'Unchanged since', isMinor: true, cell: ({ changedAt }) => <When at={changedAt} /> },
];
