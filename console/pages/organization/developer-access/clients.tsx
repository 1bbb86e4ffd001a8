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
import { targetName, typeLabels } from './client-fields.ts';

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
  { label: 'Access to', cell: (client) => <Untrusted text={targetName(client)} /> },
  { label: 'Type', isMinor: true, cell: ({ type }) => typeLabels[type] },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} never="Never" /> },
  { label: 'Status', width: '8rem', cell: ({ status }) => <StateBadge state={status} /> },
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
      lead="External products that use OAuth 2.0 to act on behalf of your members, under your policies."
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
            Create a client and share its client ID and endpoints with the product’s developers. The product can access
            a member’s data only after that member agrees.
          </Empty>
        }
      />
    </Page>
  );
}
