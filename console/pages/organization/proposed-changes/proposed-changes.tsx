import { SegmentedControl } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Empty } from '../../../kit/empty.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { When } from '../../../kit/when.tsx';

const query = graphql(`
  query ProposedChanges($first: Int!, $after: String, $state: ProposedChangeState) {
    proposedChanges(first: $first, after: $after, state: $state) {
      nodes {
        id
        title
        state
        proposedAt
        expiresAt
        proposer {
          name
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
type Node = ResultOf<typeof query>['proposedChanges']['nodes'][number];

const columns: Column<Node>[] = [
  { label: 'Change', width: '45%', cell: ({ title }) => <Untrusted text={title} /> },
  { label: 'Proposed by', cell: ({ proposer }) => <Untrusted text={proposer?.name ?? 'a former member'} /> },
  { label: 'Proposed', isMinor: true, cell: ({ proposedAt }) => <When at={proposedAt} /> },
  {
    label: 'Expires',
    isMinor: true,
    cell: ({ state, expiresAt }) => <When at={state === 'open' ? expiresAt : null} />,
  },
  { label: 'State', cell: ({ state }) => <StateBadge state={state} /> },
];

export function Component() {
  const [shown, setShown] = useState('open');
  const variables = { state: shown === 'open' ? ('open' as const) : null };
  const pages = usePages({ query, variables, pick: ({ proposedChanges }) => proposedChanges, news: 'organization' });
  return (
    <Page
      title="Proposed changes"
      lead="Changes that take effect when a second administrator confirms them. Choose which changes need one in the settings."
      actions={
        <SegmentedControl
          aria-label="Shown changes"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'open', label: 'Open' },
            { value: 'all', label: 'All' },
          ]}
        />
      }
    >
      <Rows
        label="Proposed changes"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/organization/proposed-changes/${id}`}
        empty={
          <Empty icon={IconUsers} title={shown === 'open' ? 'No open changes' : 'No proposed changes yet'}>
            A change appears here when an administrator makes one that a second administrator has to confirm.
          </Empty>
        }
      />
    </Page>
  );
}
