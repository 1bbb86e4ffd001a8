import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { NameAndEmail } from '../../../features/members/name-and-email.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { scopeLabels } from './client-fields.ts';

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

/** The members who granted access to the product. */
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
      cell: ({ memberName, memberEmail }) => <NameAndEmail name={memberName} email={memberEmail} />,
    },
    { label: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => scopeLabels[scope].name).join(', ') },
    { label: 'Granted', isMinor: true, cell: ({ grantedAt }) => <When at={grantedAt} /> },
    { label: 'Last used', cell: ({ usedAt }) => <When at={usedAt} /> },
    {
      label: 'Actions',
      isFigure: true,
      cell: (grant) => <RevokeGrant grant={grant} clientId={clientId} onRevoked={pages.refetch} />,
    },
  ];
  return (
    <Section title="User grants" lead="Users can also view and revoke their own grants.">
      <Rows
        label="Grants"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            No grants yet. Users grant access when the product redirects them to the authorization endpoint.
          </Text>
        }
      />
    </Section>
  );
}

function RevokeGrant({ grant, clientId, onRevoked }: { grant: Grant; clientId: string; onRevoked(): void }) {
  const options = { done: 'Grant revoked. Its next request is rejected.', onDone: onRevoked, isLoud: true };
  const revokeOne = useChange(revokeOauthGrant, options);
  const revokeAll = useChange(revokeOauthGrants, options);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Revoke grants of ${visible(grant.memberName)}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item color="red" onClick={() => revokeOne.send({ input: { grantId: grant.id } })}>
          Revoke this grant
        </Menu.Item>
        <Menu.Item color="red" onClick={() => revokeAll.send({ input: { clientId, memberId: grant.memberId } })}>
          Revoke all grants of this user
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
