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
  onRevoked(): void;
}

export function RevokeKeyDialog({ id, hint, opened, onClose, onRevoked }: Props) {
  const { send, problem, isSending } = useChange(mutation, {
    done: 'Key revoked.',
    onDone: () => {
      onClose();
      onRevoked();
    },
  });
  // the visible prefix identifies the key and can be typed
  const name = hint.replace(/…$/, '');
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Revoke key ${hint}?`}
      verb="Revoke key"
      name={name}
      problem={problem}
      isSending={isSending}
      onConfirm={() => send({ id })}
    >
      Requests with this key are refused immediately and its pending requests end. You can't undo this. To replace the
      key without losing tasks, rotate it instead.
    </Confirm>
  );
}
