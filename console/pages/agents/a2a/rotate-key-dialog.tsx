import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { ShownKey } from './shown-key.ts';
import { useKeyDialog } from './use-key-dialog.ts';

const mutation = graphql(`
  mutation RotateA2aKey($input: RotateA2aKeyInput!) {
    rotateA2aKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);

const overlaps = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
  { value: '0', label: 'Expire immediately' },
];

interface Props {
  id: string;
  hint: string;
  opened: boolean;
  onClose(): void;
  onShown(key: ShownKey): void;
}

export function RotateKeyDialog({ opened, onShown, ...rest }: Props) {
  const dialog = useKeyDialog(onShown);
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Rotate API key" returnFocus={dialog.returnsFocus}>
      {opened && <RotateForm {...rest} onShown={dialog.onShown} />}
    </Modal>
  );
}

function RotateForm({ id, hint, onClose, onShown }: Omit<Props, 'opened'>) {
  const [overlap, setOverlap] = useState('86400');
  const { send, problem, isSending } = useChange(mutation, {
    onDone: ({ rotateA2aKey: { key, a2aKey } }) => {
      onClose();
      onShown({ id: a2aKey.id, key });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { a2aKeyId: id, overlapSeconds: Number(overlap) } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Text size="sm">
          Creates a new key for this identity to replace {hint} Existing tasks continue with either key.
        </Text>
        <Select
          label="Old key stays active for"
          data={overlaps}
          allowDeselect={false}
          value={overlap}
          onChange={(value) => value && setOverlap(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} data-autofocus>
            Rotate key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
