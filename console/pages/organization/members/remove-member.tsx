import { Text } from '@mantine/core';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { StepProps } from './step.ts';

const removeMember = graphql(`
  mutation RemoveMember($input: MemberInput!) {
    removeMember(input: $input) {
      id
      status
    }
  }
`);

export function RemoveMember({ member: { id, name, email }, opened, onClose }: StepProps) {
  const { send, problem, isSending } = useChange(removeMember, { done: 'Removed.', onDone: onClose });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Remove this member?"
      verb="Remove member"
      name={email}
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ input: { memberId: id } })}
    >
      <Text size="sm">
        <Untrusted text={name} /> loses every way in, every group and role, and everything they connected, at once and
        for good. What they did stays in the records. Only a new invitation brings them back.
      </Text>
    </Confirm>
  );
}
