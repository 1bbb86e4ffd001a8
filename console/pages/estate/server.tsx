import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { ApproveServer, approvalSubjectsOf } from './approve.tsx';
import { packageName } from './definition.tsx';
import { ApprovalBadge, needsApproval } from './approval-badge.tsx';
import { FindingRows } from './finding-rows.tsx';
import { Deployments } from './deployments.tsx';
import { transportNames } from './labels.ts';

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
      approvedDefinitionCount
      firstSeen
      lastSeen
      goneAt
    }
  }
`);
type Server = ResultOf<typeof serverQuery>['estateServer'];

const trail = [
  ['AI estate', '/estate/overview'],
  ['Servers', '/estate/servers'],
] as const;

/** An MCP server: its definitions, findings, and deployments. */
export function Component() {
  const { id } = useParams();
  const may = useMay();
  const [isApproving, setApproving] = useState(false);
  const [result, refetch] = useQuery({ query: serverQuery, variables: { id: id! } });
  useChangeEvents('estate', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ estateServer: server }) => (
        <Page
          title={visible(server.name)}
          heading={
            <Group gap="sm">
              <Untrusted text={server.name} />
              <ApprovalBadge server={server} />
            </Group>
          }
          trail={trail}
          actions={
            may('estate:manage') &&
            needsApproval(server) &&
            approvalSubjectsOf(server).length > 0 && <Button onClick={() => setApproving(true)}>Approve server</Button>
          }
        >
          {server.goneAt && (
            <Alert color="yellow" variant="light" mb="md" title="No longer declared">
              No file declares this server since <When at={server.goneAt} />.
            </Alert>
          )}
          <About server={server} />
          <PlainSection title="Findings">
            <FindingRows filter={{ serverId: server.id }} empty={<Text size="sm">No open findings.</Text>} />
          </PlainSection>
          <PlainSection title="Deployments" lead="Files that declare this server. Secrets are replaced before storage.">
            <Deployments serverId={server.id} />
          </PlainSection>
          {isApproving && (
            <ApproveServer
              name={server.name}
              subjects={approvalSubjectsOf(server)}
              onClose={() => setApproving(false)}
              onDone={() => refetch({ requestPolicy: 'network-only' })}
            />
          )}
        </Page>
      )}
    </Loaded>
  );
}

const About = ({ server }: { server: Server }) => (
  <Section title="Details">
    <Facts
      facts={[
        ['Transport', transportNames[server.transport]],
        ['Package', server.package && <Untrusted text={packageName(server.package)} />],
        [
          'Requested versions',
          server.package && (
            <Untrusted text={server.versionSpecs.map((version) => version || 'not specified').join(', ')} />
          ),
        ],
        ['Command', server.command && <Untrusted text={server.command} />],
        ['URL', server.url && <Untrusted text={server.url} />],
        ['Names', server.names.length > 1 && <Untrusted text={server.names.join(', ')} />],
        [
          'Declared in',
          `Files: ${count(server.fileCount)}, devices and folders: ${count(server.sourceCount)}, owners: ${count(server.ownerCount)}`,
        ],
        ['Definitions', `${count(server.definitionCount)}, approved: ${count(server.approvedDefinitionCount)}`],
        [
          'Approval',
          server.approvedDefinitionCount > 0 && (
            <Anchor component={Link} to="/estate/approved" size="sm">
              Approved list
            </Anchor>
          ),
        ],
        ['First seen', <When key="first" at={server.firstSeen} />],
        ['Last seen', <When key="last" at={server.lastSeen} />],
      ]}
    />
  </Section>
);
