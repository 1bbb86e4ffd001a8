import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { useChange } from '../../../kit/use-change.tsx';
import { RemoveMember } from './remove-member.tsx';
import { RenameMember } from './rename-member.tsx';
import { ResetLink } from './reset-link.tsx';
import { SuspendMember } from './suspend-member.tsx';
import type { Member } from './member.tsx';

const reactivateMember = graphql(`
  mutation ReactivateMember($input: MemberInput!) {
    reactivateMember(input: $input) {
      id
      status
    }
  }
`);

type Step = 'rename' | 'reset' | 'suspend' | 'remove';

export function MemberActions({ member }: { member: Member }) {
  const [step, setStep] = useState<Step | null>(null);
  const reactivate = useChange(reactivateMember, { done: 'Active again.', isLoud: true });
  const open = (is: Step) => ({ member, opened: step === is, onClose: () => setStep(null) });
  const isActive = member.status === 'active';
  return (
    <>
      {!isActive && (
        <Button loading={reactivate.isSending} onClick={() => reactivate.send({ input: { memberId: member.id } })}>
          Reactivate
        </Button>
      )}
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this member">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setStep('rename')}>Rename</Menu.Item>
          {isActive && <Menu.Item onClick={() => setStep('reset')}>Make a password-reset link</Menu.Item>}
          <Menu.Divider />
          {isActive && <Menu.Item onClick={() => setStep('suspend')}>Suspend</Menu.Item>}
          <Menu.Item color="red" onClick={() => setStep('remove')}>
            Remove
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
