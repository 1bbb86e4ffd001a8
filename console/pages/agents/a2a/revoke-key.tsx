import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { useChange } from '../../../kit/use-change.tsx';

const mutation = graphql(`
  mutation RevokeA2aKey($id: ID!) {
    revokeA2aKey(input: { a2aKeyId: $id }) {
      id
      revokedAt
    }
  }
`);

interface Props {
  id: string;
  hint: string;
  opened: boolean;
  onClose(): void;
}

export function RevokeKey({ id, hint, opened, onClose }: Props) {
  const { send, problem, isSending } = useChange(mutation, { done: 'Revoked.', onDone: onClose });
  // how it begins is how it is told apart, and can be typed
  const name = hint.replace(/…$/, '');
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Revoke this key?"
      verb="Revoke key"
      name={name}
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ id })}
    >
      It is refused from the next request on, for good, and what was asked for with it ends. To replace it without
      losing tasks, rotate it.
    </Confirm>
  );
}
