import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Empty } from '../../../kit/empty.tsx';
import { ChoiceFilter, SearchFilter } from '../../../kit/filters.tsx';
import { useMe } from '../../../kit/me.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useFilter } from '../../../kit/use-filter.ts';
import { usePages } from '../../../kit/use-pages.ts';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { type Role, RoleBadges, roleChoices } from '../../../features/members/roles.tsx';
import { Invite } from '../../../features/members/invite.tsx';
import { NameAndEmail } from '../../../features/members/name-and-email.tsx';
import { OpenLinks, useOpenLinks } from './open-links.tsx';
import { SuspendMember } from './suspend-member.tsx';

const query = graphql(`
  query Members($first: Int!, $after: String, $search: String, $status: MemberStatus, $role: Role) {
    members(first: $first, after: $after, search: $search, status: $status, role: $role) {
      nodes {
        id
        name
        email
        roles
        status
        joinedAt
        groups {
          id
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
type Node = ResultOf<typeof query>['members']['nodes'][number];

const statuses = [
  { value: 'active', label: 'Active' },
  { value: 'suspended', label: 'Suspended' },
  { value: 'removed', label: 'Removed' },
];

const columnsOf = (ownId: string, suspend: (member: Node) => void): Column<Node>[] => [
  {
    label: 'Name',
    width: '36%',
    cell: ({ name, email }) => <NameAndEmail name={name} email={email} />,
  },
  { label: 'Roles', cell: ({ roles }) => <RoleBadges roles={roles} /> },
  {
    label: 'Groups',
    isMinor: true,
    cell: ({ groups }) => <Untrusted text={groups.map(({ name }) => name).join(', ')} />,
  },
  { label: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { label: 'Joined', isMinor: true, cell: ({ joinedAt }) => <When at={joinedAt} /> },
  {
    label: 'Actions',
    width: '7rem',
    cell: (member) =>
      member.status === 'active' &&
      member.id !== ownId && (
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={`Suspend ${visible(member.name)}`}
          onClick={() => suspend(member)}
        >
          Suspend
        </Button>
      ),
  },
];

export function Component() {
  const [search] = useFilter('search');
  const [status] = useFilter('status');
  const [role] = useFilter('role');
  const { member: me } = useMe();
  const [isInviting, inviting] = useDisclosure();
  const [suspended, setSuspended] = useState<Node | null>(null);
  const links = useOpenLinks();
  const pages = usePages({
    query,
    variables: { search, status: status as Node['status'] | null, role: role as Role | null },
    pick: ({ members }) => members,
    news: 'organization',
  });
  const invite = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={inviting.open}>
      Invite member
    </Button>
  );
  return (
    <Page title="Members" lead="People in your organization, their roles, and how they sign in." actions={invite}>
      <Invite opened={isInviting} onClose={inviting.close} onInvited={links.refetch} />
      {suspended && <SuspendMember member={suspended} opened onClose={() => setSuspended(null)} />}
      <OpenLinks links={links} />
      <Group mb="md" gap="sm">
        <SearchFilter name="search" label="Search by name or email" />
        <ChoiceFilter name="status" label="Status" data={statuses} />
        <ChoiceFilter name="role" label="Role" data={roleChoices} />
      </Group>
      <Rows
        label="Members"
        pages={pages}
        columns={columnsOf(me.id, setSuspended)}
        keyOf={({ id }) => id}
        to={({ id }) => `/organization/members/${id}`}
        empty={
          <Empty icon={IconUsers} title="No matching members">
            Change the search or remove a filter. Removed members are listed under the status “Removed”.
          </Empty>
        }
      />
    </Page>
  );
}
