import { Text } from '@mantine/core';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { MemberDialogProps } from './member-dialog.ts';

const removeMember = graphql(`
  mutation RemoveMember($input: MemberInput!) {
    removeMember(input: $input) {
      id
      status
    }
  }
`);

export function RemoveMember({ member: { id, name, email }, opened, onClose }: MemberDialogProps) {
  const { send, problem, isSending } = useChange(removeMember, { done: 'Member removed.', onDone: onClose });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Remove member?"
      verb="Remove member"
      name={email}
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ input: { memberId: id } })}
    >
      <Text size="sm">
        <Untrusted text={name} /> immediately loses all sign-in methods, groups, roles, and connected accounts. You
        can’t undo this. Their activity stays in the audit log. To add them again, send a new invitation.
      </Text>
    </Confirm>
  );
}
