import { Button } from '@mantine/core';
import { IconApps } from '@tabler/icons-react';
import { Link } from 'react-router';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Empty } from '../../../kit/empty.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';
import { targetName, typeWords } from './client-fields.ts';

const query = graphql(`
  query OauthClients($first: Int!, $after: String) {
    oauthClients(first: $first, after: $after) {
      nodes {
        id
        name
        type
        target
        configuration {
          id
          name
        }
        status
        lastUsedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Node = ResultOf<typeof query>['oauthClients']['nodes'][number];

const columns: Column<Node>[] = [
  { label: 'Name', width: '30%', cell: ({ name }) => <Untrusted text={name} /> },
  { label: 'Reaches', cell: (client) => <Untrusted text={targetName(client)} /> },
  { label: 'Type', isMinor: true, cell: ({ type }) => typeWords[type] },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} never="never" /> },
  { label: 'State', width: '8rem', cell: ({ status }) => <StateBadge state={status} /> },
];

export function Component() {
  const pages = usePages({ query, variables: {}, pick: ({ oauthClients }) => oauthClients, news: 'client' });
  const create = (
    <Button component={Link} to="/organization/developer-access/new">
      Create external client
    </Button>
  );
  return (
    <Page
      title="Developer Access"
      lead="Products of others that act for your people by OAuth 2.0: as the person who agreed, in this organization, under your policies."
      actions={pages.totalCount > 0 && create}
    >
      <Rows
        label="External clients"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/organization/developer-access/${id}`}
        empty={
          <Empty icon={IconApps} title="No external clients yet" action={create}>
            Register a product here, and give its makers the client ID and the addresses. Nobody’s data is reached until
            that person has agreed.
          </Empty>
        }
      />
    </Page>
  );
}
