import { Button, Group, List, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Facts } from '../../../kit/facts.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { ClientEndpoints } from './client-endpoints.tsx';
import { ClientActions } from './client-actions.tsx';
import { authMethodLabels, type Client, clientQuery, scopeLabels, targetName, typeLabels } from './client-fields.ts';
import { Grants } from './grants.tsx';
import { Secrets } from './secrets.tsx';

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query: clientQuery, variables: { id } });
  useChangeEvents('client', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ oauthClient }) => <ClientPage key={oauthClient.id} client={oauthClient} />}
    </Loaded>
  );
}

function ClientPage({ client }: { client: Client }) {
  const { id, name, description, status, type } = client;
  return (
    <Page
      title={visible(name)}
      heading={
        <Group gap="sm">
          <Untrusted text={name} />
          <StateBadge state={status} />
        </Group>
      }
      lead={description && <Untrusted text={description} />}
      trail={[['Developer Access', '/organization/developer-access']]}
      actions={
        status !== 'revoked' && (
          <>
            <Button component={Link} to={`/organization/developer-access/${id}/edit`}>
              Edit client
            </Button>
            <ClientActions client={client} />
          </>
        )
      }
    >
      {status === 'revoked' && (
        <Text size="sm" mb="lg">
          This client and its user grants were revoked permanently. To connect the product again, create a new client.
        </Text>
      )}
      <Section title="Endpoints" lead="Share these values with the product's developers.">
        <ClientEndpoints client={client} />
      </Section>
      <Section title="Registration">
        <Registration client={client} />
      </Section>
      {type === 'confidential' && <Secrets client={client} />}
      <Grants clientId={id} />
    </Page>
  );
}

const Registration = ({ client }: { client: Client }) => (
  <Facts
    facts={[
      [
        'Type',
        client.isNative ? `${typeLabels[client.type]}, installed on the user’s device` : typeLabels[client.type],
      ],
      ['Access to', <Untrusted key="target" text={targetName(client)} />],
      ['Scopes', client.scopes.map((scope) => scopeLabels[scope].name).join(', ')],
      ['Client authentication', authMethodLabels[client.authMethod]],
      [
        'Callback URLs',
        <List key="urls" listStyleType="none" size="sm">
          {client.redirectUris.map((url) => (
            <List.Item key={url}>
              <Untrusted text={url} />
            </List.Item>
          ))}
        </List>,
      ],
      ['Contacts', client.contacts.length > 0 && <Untrusted key="contacts" text={client.contacts.join(', ')} />],
      ['Created', <When key="created" at={client.createdAt} />],
      ['Last used', <When key="used" at={client.lastUsedAt} never="Never" />],
    ]}
  />
);
