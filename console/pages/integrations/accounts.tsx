import { Anchor, Button, List, Text } from '@mantine/core';
import { IconExternalLink, IconUserPlus } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { useConnectors } from '../../features/integrations/connectors.ts';
import { type Integration, useIntegration } from './integration-query.ts';

const query = graphql(`
  query IntegrationAccounts($id: ID!, $first: Int!, $after: String) {
    connection(id: $id) {
      id
      accounts(first: $first, after: $after) {
        nodes {
          id
          name
          issuer
          scope
          listsTools
          connectedAt
          endedReason
        }
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

type Account = ResultOf<typeof query>['connection']['accounts']['nodes'][number];

const columns: Column<Account>[] = [
  { label: 'Person', cell: ({ name }) => <Untrusted text={name} /> },
  {
    label: 'Status',
    cell: ({ endedReason }) =>
      endedReason ? (
        <>
          <StateBadge state="expired" label="Ended" />
          <Text size="xs" c="dimmed" mt={2}>
            <Untrusted text={endedReason} />
          </Text>
        </>
      ) : (
        <StateBadge state="connected" label="Connected" />
      ),
  },
  { label: 'Sign-in server', cell: ({ issuer }) => <Untrusted text={issuer} />, isMinor: true },
  { label: 'Scope', cell: ({ scope }) => (scope ? <Untrusted text={scope} /> : '–'), isMinor: true },
  { label: 'Used to list tools', cell: ({ listsTools }) => (listsTools ? 'Yes' : 'No') },
  { label: 'Connected', cell: ({ connectedAt }) => <When at={connectedAt} /> },
];

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useIntegration(id);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ connection }) =>
        (connection.settings as Record<string, unknown>).credentials === 'personal' ? (
          <PersonalAccounts id={id} />
        ) : (
          <SharedAccount of={connection} />
        )
      }
    </Loaded>
  );
}

function SharedAccount({ of: { id, kind, credentials } }: { of: Integration }) {
  const [{ data }] = useConnectors();
  const fields = data?.connectors.find((connector) => connector.id === kind)?.fields ?? [];
  const labels = credentials.map((name) => fields.find((field) => field.name === name)?.label ?? name);
  return (
    <Section title="Shared account" lead="All calls use the credential of this integration.">
      <List size="sm" spacing={4}>
        <List.Item>
          {labels.length
            ? `Stored: ${labels.join(', ')}. Credentials are encrypted and never shown again.`
            : 'No credential is set. Calls are sent without one.'}
        </List.Item>
        <List.Item>
          To let each person use their own account, choose personal accounts in the{' '}
          <Anchor component={Link} to={`/integrations/${id}/settings`} inherit underline="always">
            settings
          </Anchor>
          .
        </List.Item>
      </List>
    </Section>
  );
}

function PersonalAccounts({ id }: { id: string }) {
  const pages = usePages({
    query,
    variables: { id },
    pick: ({ connection }) => connection.accounts,
    news: 'connection',
  });
  return (
    <>
      <Section
        title="Personal accounts"
        lead="Calls use the account that the person connected. Not available to agents. Tokens are encrypted and never shown."
        actions={<ConnectOwnAccount id={id} />}
      />
      <Rows
        label="Accounts"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconUserPlus} title="No connected accounts">
            Connect your own account first. The first administrator account is used to list the tools. Other people are
            asked to connect theirs when they first need it.
          </Empty>
        }
      />
    </>
  );
}

const ConnectOwnAccount = ({ id }: { id: string }) => (
  <Button
    component="a"
    href={`/connections/${id}/connect`}
    variant="default"
    rightSection={<IconExternalLink size={16} aria-hidden />}
  >
    Connect my account
  </Button>
);
