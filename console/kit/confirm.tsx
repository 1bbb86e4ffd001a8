import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';
import { visible } from './visible.ts';

interface Props {
  opened: boolean;
  onClose(): void;
  /** "Remove Ada Lovelace?" */
  title: string;
  /** What happens then, and what cannot be undone. */
  children: ReactNode;
  /** The verb on the button: "Remove member". */
  verb: string;
  /** Where it cannot be undone: the name to be typed first. */
  name?: string;
  problem?: Problem | null;
  isSending?: boolean;
  onConfirm(): void;
}

/** Asks before something that has consequences; with `name`, it has to be typed. */
export const Confirm = ({ opened, title, ...asked }: Props) => (
  <Modal opened={opened} onClose={asked.onClose} title={title}>
    {/* is there only while it is open: what was typed counts once */}
    <Asked {...asked} />
  </Modal>
);

function Asked({ onClose, children, verb, name, problem, isSending, onConfirm }: Omit<Props, 'opened' | 'title'>) {
  const [typed, setTyped] = useState('');
  const shown = name && visible(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <div>{children}</div>
        {shown && (
          <TextInput
            label={`Type "${shown}" to confirm`}
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus={!name}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red"
            loading={isSending}
            disabled={name !== undefined && typed !== name && typed !== shown}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
