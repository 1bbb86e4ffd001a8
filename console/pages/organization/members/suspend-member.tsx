import { Text } from '@mantine/core';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { MemberDialogProps } from './member-dialog.ts';

const suspendMember = graphql(`
  mutation SuspendMember($input: MemberInput!) {
    suspendMember(input: $input) {
      id
      status
    }
  }
`);

export function SuspendMember({ member: { id }, opened, onClose }: MemberDialogProps) {
  const { send, problem, isSending } = useChange(suspendMember, { done: 'Member suspended.', onDone: onClose });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Suspend member?"
      verb="Suspend member"
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ input: { memberId: id } })}
    >
      <Text size="sm">
        The member is signed out everywhere. Their keys, connected products, and the agents they are responsible for
        stop at the next request. Reactivate the member to restore access.
      </Text>
    </Confirm>
  );
}
