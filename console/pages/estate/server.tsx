import { Alert, Anchor, Button, Drawer, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Part } from '../../kit/part.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { ApproveEntry, ApproveServer, waysOf } from './approve.tsx';
import { Definition, entryFields, packageName } from './definition.tsx';
import { FindingRows } from './finding-rows.tsx';

const serverQuery = graphql(`
  query EstateServer($id: ID!) {
    estateServer(id: $id) {
      id
      name
      names
      transport
      command
      url
      host
      package {
        manager
        name
        versionSpec
        isPinned
      }
      versionSpecs
      fileCount
      sourceCount
      ownerCount
      definitionCount
      firstSeen
      lastSeen
      goneAt
    }
  }
`);
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
type Server = ResultOf<typeof serverQuery>['estateServer'];
type Deployment = ResultOf<typeof deploymentsQuery>['estateServer']['entries']['nodes'][number];

const trail = [
  ['AI estate', '/estate/overview'],
  ['Servers', '/estate/servers'],
] as const;

/** One MCP server: where it is configured, how, and whether it should be. */
export function Component() {
  const { id } = useParams();
  const may = useMay();
  const [isApproving, setApproving] = useState(false);
  const [asked, again] = useQuery({ query: serverQuery, variables: { id: id! } });
  useNews('estate', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ estateServer: server }) => (
        <Page
          title={visible(server.name)}
          heading={<Untrusted text={server.name} />}
          trail={trail}
          actions={
            may('estate:manage') &&
            waysOf(server).length > 0 && <Button onClick={() => setApproving(true)}>Approve</Button>
          }
        >
          {server.goneAt && (
            <Alert color="yellow" variant="light" mb="md" title="No file declares it any more">
              Since <When at={server.goneAt} />.
            </Alert>
          )}
          <About server={server} />
          <Part title="Findings">
            <FindingRows filter={{ serverId: server.id }} empty={<Text size="sm">Nothing is open.</Text>} />
          </Part>
          <Part title="Deployments" lead="Wherever it is declared now; secrets were replaced before anything was kept.">
            <Deployments serverId={server.id} />
          </Part>
          {isApproving && (
            <ApproveServer name={server.name} ways={waysOf(server)} onClose={() => setApproving(false)} />
          )}
        </Page>
      )}
    </Loaded>
  );
}

const About = ({ server }: { server: Server }) => (
  <Section title="About it">
    <Facts
      facts={[
        ['Reached by', server.transport],
        ['Package', server.package && <Untrusted text={packageName(server.package)} />],
        [
          'Versions asked for',
          server.package && <Untrusted text={server.versionSpecs.map((version) => version || 'none').join(', ')} />,
        ],
        ['Program', server.command && <Untrusted text={server.command} />],
        ['Address', server.url && <Untrusted text={server.url} />],
        ['Called', server.names.length > 1 && <Untrusted text={server.names.join(', ')} />],
        [
          'Where',
          `${count(server.fileCount)} files on ${count(server.sourceCount)} devices and folders, of ${count(server.ownerCount)} people`,
        ],
        ['Different definitions', count(server.definitionCount)],
        ['First seen', <When key="first" at={server.firstSeen} />],
        ['Last seen', <When key="last" at={server.lastSeen} />],
      ]}
    />
  </Section>
);

function Deployments({ serverId }: { serverId: string }) {
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
        columns={[...columns, { label: 'Actions', width: '1%', cell: (entry) => <Show {...{ entry, setShown }} /> }]}
        empty={<Text size="sm">None now.</Text>}
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
            {may('estate:manage') && (
              <Button
                variant="default"
                onClick={() => {
                  setShown(null);
                  setApproved(shown);
                }}
              >
                Approve as it is
              </Button>
            )}
          </Stack>
        )}
      </Drawer>
      {approved && <ApproveEntry entry={approved} onClose={() => setApproved(null)} />}
    </>
  );
}

const Show = ({ entry, setShown }: { entry: Deployment; setShown(entry: Deployment): void }) => (
  <Button
    size="compact-sm"
    variant="default"
    aria-label={`Definition in ${visible(entry.file.path)}`}
    onClick={() => setShown(entry)}
  >
    Definition
  </Button>
);

const columns: readonly Column<Deployment>[] = [
  {
    label: 'File',
    width: '40%',
    cell: ({ file }) => (
      <Anchor component={Link} to={`/estate/files/${file.id}`} size="sm">
        <Untrusted text={file.path} />
      </Anchor>
    ),
  },
  {
    label: 'On',
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
  { label: 'Called', isMinor: true, cell: ({ name }) => <Untrusted text={name} /> },
  {
    label: 'Version',
    cell: ({ package: from }) => (from ? <Untrusted text={from.versionSpec ?? 'none named'} /> : '–'),
  },
  { label: 'As it is since', isMinor: true, cell: ({ changedAt }) => <When at={changedAt} /> },
];
