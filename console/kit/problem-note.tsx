import { Alert, Anchor, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { Problem } from '../api/problem.ts';
import { fieldName } from './field-name.ts';

interface Props {
  problem: Problem;
  /** Adds a button that tries again. */
  retry?: () => void;
}

/** An error: message, affected fields, code with a link to its description. In a form, moves the focus to the error. */
export function ProblemNote({ problem, retry }: Props) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => focusProblem(note.current), [problem]);
  const { code, message, errors } = problem;
  return (
    <Alert
      ref={note}
      tabIndex={-1}
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={message}
      role="alert"
      mb="md"
    >
      {errors.length > 0 && (
        <List size="sm" mb="xs">
          {errors.map(({ pointer, detail }) => (
            <List.Item key={pointer + detail}>
              {fieldName(pointer) && <b>{fieldName(pointer)}: </b>}
              {detail}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="md">
        <Text size="sm" c="dimmed">
          Code{' '}
          <Anchor href={`/problems/${code}`} target="_blank" inherit>
            {code}
          </Anchor>
        </Text>
        {retry && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** After a rejected form, the first field with an error has the focus, or else the message; both are scrolled to. */
function focusProblem(note: HTMLElement | null): void {
  const form = note?.closest('form, [role=dialog]');
  if (!form) return;
  const field = form.querySelector<HTMLElement>(':is(input, textarea):is([aria-invalid=true], [data-invalid])');
  (field ?? note)?.focus();
}
