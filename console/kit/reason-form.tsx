import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

interface Props {
  label?: string;
  description: string;
  /** What the button does: "Decline change". */
  action: string;
  isDestructive?: boolean;
  /** Text above the field. */
  children?: ReactNode;
  /** On the left of the buttons. */
  aside?: ReactNode;
  cancelLabel?: string;
  /** Null: there is nothing to close. */
  onCancel: (() => void) | null;
  problem: Problem | null;
  isSending: boolean;
  onSubmit(text: string): void;
}

/** A form with one text that explains an action. */
export function ReasonForm({
  label = 'Reason',
  description,
  action,
  isDestructive = false,
  children,
  aside,
  cancelLabel = 'Cancel',
  onCancel,
  problem,
  isSending,
  onSubmit,
}: Props) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(text);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        {children}
        <Textarea
          label={label}
          description={description}
          required
          autosize
          minRows={2}
          maxLength={1000}
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Group justify={aside ? 'space-between' : 'flex-end'}>
          {aside}
          <Group gap="sm">
            {onCancel && (
              <Button variant="default" onClick={onCancel}>
                {cancelLabel}
              </Button>
            )}
            <Button type="submit" color={isDestructive ? 'red' : undefined} loading={isSending} disabled={!text.trim()}>
              {action}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
