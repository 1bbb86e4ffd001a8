import { Text } from '@mantine/core';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { StepProps } from './step.ts';

const suspendMember = graphql(`
  mutation SuspendMember($input: MemberInput!) {
    suspendMember(input: $input) {
      id
      status
    }
  }
`);

export function SuspendMember({ member: { id }, opened, onClose }: StepProps) {
  const { send, problem, isSending } = useChange(suspendMember, { done: 'Suspended.', onDone: onClose });
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Suspend this member?"
      verb="Suspend"
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ input: { memberId: id } })}
    >
      <Text size="sm">
        They are signed out everywhere, and what acts for them stops with its next request: keys, products, agents that
        they answer for. Reactivating brings it back.
      </Text>
    </Confirm>
  );
}
