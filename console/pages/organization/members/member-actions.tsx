import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { useChange } from '../../../kit/use-change.tsx';
import { RemoveMember } from './remove-member.tsx';
import { RenameMember } from './rename-member.tsx';
import { ResetLink } from './reset-link.tsx';
import { SuspendMember } from './suspend-member.tsx';
import type { Member } from './member-query.ts';

const reactivateMember = graphql(`
  mutation ReactivateMember($input: MemberInput!) {
    reactivateMember(input: $input) {
      id
      status
    }
  }
`);

type MemberDialog = 'rename' | 'reset' | 'suspend' | 'remove';

export function MemberActions({ member }: { member: Member }) {
  const [dialog, setDialog] = useState<MemberDialog | null>(null);
  const reactivate = useChange(reactivateMember, { done: 'Member reactivated.', isLoud: true });
  const open = (is: MemberDialog) => ({ member, opened: dialog === is, onClose: () => setDialog(null) });
  const isActive = member.status === 'active';
  return (
    <>
      {!isActive && (
        <Button loading={reactivate.isSending} onClick={() => reactivate.send({ input: { memberId: member.id } })}>
          Reactivate member
        </Button>
      )}
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this member">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setDialog('rename')}>Rename member</Menu.Item>
          {isActive && <Menu.Item onClick={() => setDialog('reset')}>Create password reset link</Menu.Item>}
          <Menu.Divider />
          {isActive && <Menu.Item onClick={() => setDialog('suspend')}>Suspend member</Menu.Item>}
          <Menu.Item color="red" onClick={() => setDialog('remove')}>
            Remove member
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RenameMember {...open('rename')} />
      <ResetLink {...open('reset')} />
      <SuspendMember {...open('suspend')} />
      <RemoveMember {...open('remove')} />
    </>
  );
}
