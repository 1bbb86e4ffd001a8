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
  /** The consequences, and what cannot be undone. */
  children: ReactNode;
  /** The verb on the button: "Remove member". */
  verb: string;
  /** Required input before an action that cannot be undone. */
  name?: string;
  problem?: Problem | null;
  isSending?: boolean;
  onConfirm(): void;
}

/** Confirmation dialog; with `name`, the person has to type it. */
export const Confirm = ({ opened, title, ...form }: Props) => (
  <Modal opened={opened} onClose={form.onClose} title={title}>
    {/* mounted only while open, so that the input is empty each time */}
    <ConfirmForm {...form} />
  </Modal>
);

function ConfirmForm({
  onClose,
  children,
  verb,
  name,
  problem,
  isSending,
  onConfirm,
}: Omit<Props, 'opened' | 'title'>) {
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
