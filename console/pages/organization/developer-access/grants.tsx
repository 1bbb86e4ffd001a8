import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Section } from '../../../kit/section.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { scopeWords } from './client-fields.ts';

const query = graphql(`
  query OauthGrants($clientId: ID!, $first: Int!, $after: String) {
    oauthGrants(clientId: $clientId, first: $first, after: $after) {
      nodes {
        id
        memberId
        memberName
        memberEmail
        scopes
        grantedAt
        usedAt
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Grant = ResultOf<typeof query>['oauthGrants']['nodes'][number];

const revokeOauthGrant = graphql(`
  mutation RevokeOauthGrant($input: RevokeOauthGrantInput!) {
    revokeOauthGrant(input: $input)
  }
`);
const revokeOauthGrants = graphql(`
  mutation RevokeOauthGrants($input: RevokeOauthGrantsInput!) {
    revokeOauthGrants(input: $input)
  }
`);

/** Who let the product act for them. */
export function Grants({ clientId }: { clientId: string }) {
  const pages = usePages({
    query,
    variables: { clientId },
    pick: ({ oauthGrants }) => oauthGrants,
    news: ['client', 'organization'],
  });
  const columns: Column<Grant>[] = [
    {
      label: 'Person',
      width: '35%',
      cell: ({ memberName, memberEmail }) => (
        <>
          <Untrusted text={memberName} />
          <Text size="xs" c="dimmed" fw={400}>
            <Untrusted text={memberEmail} />
          </Text>
        </>
      ),
    },
    { label: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope].name).join(', ') },
    { label: 'Agreed', isMinor: true, cell: ({ grantedAt }) => <When at={grantedAt} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} /> },
    {
      label: 'End',
      isFigure: true,
      cell: (grant) => <EndGrant grant={grant} clientId={clientId} onEnded={pages.again} />,
    },
  ];
  return (
    <Section title="Who has connected it" lead="Each of them can see and end this themselves, too.">
      <Rows
        label="Grants"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            Nobody yet. People agree when the product sends them to the authorization endpoint.
          </Text>
        }
      />
    </Section>
  );
}

function EndGrant({ grant, clientId, onEnded }: { grant: Grant; clientId: string; onEnded(): void }) {
  const options = { done: 'Ended: its next request is refused.', onDone: onEnded, isLoud: true };
  const endOne = useChange(revokeOauthGrant, options);
  const endAll = useChange(revokeOauthGrants, options);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`End what ${visible(grant.memberName)} granted`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" onClick={() => endOne.send({ input: { grantId: grant.id } })}>
          End this authorization
        </Menu.Item>
        <Menu.Item color="red" onClick={() => endAll.send({ input: { clientId, memberId: grant.memberId } })}>
          End all of this person
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
