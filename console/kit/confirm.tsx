import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

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
export function Confirm({ opened, onClose, title, children, verb, name, problem, isSending, onConfirm }: Props) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <div>{children}</div>
          {name && (
            <TextInput
              label={`Type "${name}" to confirm`}
              autoComplete="off"
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={!name}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isSending} disabled={name !== undefined && typed !== name}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
