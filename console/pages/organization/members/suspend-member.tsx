import { Text } from '@mantine/core';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import type { Member } from './member-query.ts';

const suspendMember = graphql(`
  mutation SuspendMember($input: MemberInput!) {
    suspendMember(input: $input) {
      id
      status
    }
  }
`);

interface Props {
  member: Pick<Member, 'id' | 'name'>;
  opened: boolean;
  onClose(): void;
}

export function SuspendMember({ member: { id, name }, opened, onClose }: Props) {
  const { send, problem, isSending } = useChange(suspendMember, { done: 'Member suspended.', onDone: onClose });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Suspend ${visible(name)}?`}
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
