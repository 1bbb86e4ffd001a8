import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Problem } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf } from '../../kit/use-change.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  /** "group" */
  what: string;
  name: string;
  change: { problem: Problem | null; isSending: boolean };
  onSave(name: string): void;
}

export const Rename = ({ opened, onClose, what, ...rest }: Props) => (
  <Modal opened={opened} onClose={onClose} title={`Rename ${what}`}>
    {opened && <NameForm onClose={onClose} {...rest} />}
  </Modal>
);

/** The form of a dialog that creates or renames something. */
export function NameForm({
  onClose,
  name,
  change: { problem, isSending },
  onSave,
  verb = 'Save name',
}: Omit<Props, 'opened' | 'what'> & { verb?: string }) {
  const [typed, setTyped] = useState(name);
  const fault = faultOf(problem, 'name');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(typed);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !fault && <ProblemNote problem={problem} />}
        <TextInput
          label="Name"
          required
          data-autofocus
          value={typed}
          error={fault}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
