import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconUserMinus, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { Loaded } from '../../../kit/loaded.tsx';
import { Page } from '../../../kit/page.tsx';
import { type Column, Rows } from '../../../kit/rows.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { usePages } from '../../../kit/use-pages.ts';
import { visible } from '../../../kit/visible.ts';
import { Rename } from '../rename.tsx';
import { AddMember } from './add-member.tsx';
import { removeGroupMember } from './membership.ts';

const groupQuery = graphql(`
  query Group($id: ID!) {
    group(id: $id) {
      id
      name
      memberCount
    }
  }
`);
const membersQuery = graphql(`
  query GroupMembers($groupId: ID!, $first: Int!, $after: String) {
    members(groupId: $groupId, first: $first, after: $after) {
      nodes {
        id
        name
        email
        status
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
type Group = ResultOf<typeof groupQuery>['group'];
type GroupMember = ResultOf<typeof membersQuery>['members']['nodes'][number];

const renameGroup = graphql(`
  mutation RenameGroup($input: RenameGroupInput!) {
    renameGroup(input: $input) {
      id
      name
    }
  }
`);
const removeGroup = graphql(`
  mutation RemoveGroup($input: GroupInput!) {
    removeGroup(input: $input) {
      id
    }
  }
`);

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query: groupQuery, variables: { id } });
  useChangeEvents('organization', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ group }) => <GroupPage key={group.id} group={group} />}
    </Loaded>
  );
}

function GroupPage({ group }: { group: Group }) {
  const { id: groupId, name } = group;
  const pages = usePages({
    query: membersQuery,
    variables: { groupId },
    pick: ({ members }) => members,
    news: 'organization',
  });
  const removeFromGroup = useChange(removeGroupMember, {
    done: 'Member removed from group.',
    onDone: pages.refetch,
    isLoud: true,
  });
  const columns: Column<GroupMember>[] = [
    { label: 'Name', width: '35%', cell: (member) => <Untrusted text={member.name} /> },
    { label: 'Email', cell: ({ email }) => <Untrusted text={email} /> },
    { label: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
    {
      label: 'Actions',
      isFigure: true,
      cell: (member) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${visible(member.name)} from group`}
          onClick={() => removeFromGroup.send({ input: { groupId, memberId: member.id } })}
        >
          <IconUserMinus size={16} />
        </ActionIcon>
      ),
    },
  ];
  return (
    <Page
      title={visible(name)}
      heading={<Untrusted text={name} />}
      lead="Changes apply to the next request, including requests of agents."
      trail={[['Groups', '/organization/groups']]}
      actions={<Actions group={group} />}
    >
      <AddMember groupId={groupId} onAdded={pages.refetch} />
      <Rows
        label="Group members"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/organization/members/${id}`}
        empty={
          <Empty icon={IconUsers} title="No members yet">
            Add members to give them the access of this group.
          </Empty>
        }
      />
    </Page>
  );
}

function Actions({ group: { id: groupId, name } }: { group: Group }) {
  const navigate = useNavigate();
  const [step, setStep] = useState<'rename' | 'remove' | null>(null);
  const close = () => setStep(null);
  const rename = useChange(renameGroup, { done: 'Group renamed.', onDone: close });
  const remove = useChange(removeGroup, {
    done: 'Group removed.',
    onDone: () => void navigate('/organization/groups'),
  });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this group">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setStep('rename')}>Rename group</Menu.Item>
          <Menu.Item color="red" onClick={() => setStep('remove')}>
            Remove group
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Rename
        opened={step === 'rename'}
        onClose={close}
        what="group"
        name={name}
        change={rename}
        onSave={(to) => rename.send({ input: { groupId, name: to } })}
      />
      <Confirm
        opened={step === 'remove'}
        onClose={close}
        title="Remove group?"
        verb="Remove group"
        name={visible(name)}
        problem={remove.problem}
        isSending={remove.isSending}
        onConfirm={() => remove.send({ input: { groupId } })}
      >
        Its members lose the access that the group gives them, but stay in the organization. You can’t remove a group
        that a configuration, an approval step, or a document still uses.
      </Confirm>
    </>
  );
}
