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
    label: 'State',
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
  { label: 'Signed in at', cell: ({ issuer }) => <Untrusted text={issuer} />, isMinor: true },
  { label: 'For', cell: ({ scope }) => (scope ? <Untrusted text={scope} /> : '–'), isMinor: true },
  { label: 'Also lists tools', cell: ({ listsTools }) => (listsTools ? 'yes' : 'no') },
  { label: 'Since', cell: ({ connectedAt }) => <When at={connectedAt} /> },
];

export function Component() {
  const { id = '' } = useParams();
  const [asked, again] = useIntegration(id);
  return (
    <Loaded asked={asked} again={again}>
      {({ connection }) =>
        (connection.settings as Record<string, unknown>).credentials === 'personal' ? (
          <EachTheirOwn id={id} />
        ) : (
          <Shared of={connection} />
        )
      }
    </Loaded>
  );
}

const Shared = ({ of: { id, credentials } }: { of: Integration }) => (
  <Section title="One account for everybody" lead="Everybody’s calls go out with the credential of this integration.">
    <List size="sm" spacing={4}>
      <List.Item>
        {credentials.length
          ? `Set: ${credentials.join(', ')}. It is sealed and never shown again.`
          : 'No credential is set: calls go out without one.'}
      </List.Item>
      <List.Item>
        Shall each person act with an account of their own? Choose personal credentials in the{' '}
        <Anchor component={Link} to={`/integrations/${id}/settings`} inherit underline="always">
          settings
        </Anchor>
        .
      </List.Item>
    </List>
  </Section>
);

function EachTheirOwn({ id }: { id: string }) {
  const pages = usePages({
    query,
    variables: { id },
    pick: ({ connection }) => connection.accounts,
    news: 'connection',
  });
  return (
    <>
      <Section
        title="Each person’s own"
        lead="Calls for a person go out with the account that they connected. Agents, which are nobody, cannot use this integration. Nobody sees the tokens."
        actions={<ConnectMine id={id} />}
      />
      <Rows
        label="Accounts"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon={IconUserPlus} title="Nobody has connected an account">
            Connect your own first: the tools are listed with the first account of an administrator. Others are asked
            for theirs when they first need it.
          </Empty>
        }
      />
    </>
  );
}

const ConnectMine = ({ id }: { id: string }) => (
  <Button
    component="a"
    href={`/connections/${id}/connect`}
    variant="default"
    rightSection={<IconExternalLink size={16} aria-hidden />}
  >
    Connect my account
  </Button>
);
