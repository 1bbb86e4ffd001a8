import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Shown } from './shown-key.tsx';

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
  { value: '3600', label: 'An hour' },
  { value: '86400', label: 'A day' },
  { value: '604800', label: 'A week' },
  { value: '0', label: 'Not at all: it ends now' },
];

interface Props {
  id: string;
  hint: string;
  opened: boolean;
  onClose(): void;
  onShown(shown: Shown): void;
}

export const RotateKey = ({ opened, ...rest }: Props) => (
  <Modal opened={opened} onClose={rest.onClose} title="Rotate this key">
    {opened && <RotateForm {...rest} />}
  </Modal>
);

function RotateForm({ id, hint, onClose, onShown }: Omit<Props, 'opened'>) {
  const [overlap, setOverlap] = useState('86400');
  const { send, problem, isSending } = useChange(mutation, {
    onDone: ({ rotateA2aKey: { key } }) => {
      onClose();
      onShown({ key, title: 'The new key' });
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
          A new key for the same identity takes the place of {hint} Tasks go on under either of them.
        </Text>
        <Select
          label="The old one works on for"
          data={overlaps}
          allowDeselect={false}
          value={overlap}
          onChange={(value) => value && setOverlap(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} data-autofocus>
            Rotate
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
