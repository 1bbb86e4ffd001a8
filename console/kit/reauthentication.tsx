import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { graphql } from '../api/graphql.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { ProblemNote } from './problem-note.tsx';

const confirmPassword = graphql(`
  mutation ConfirmPassword($input: ConfirmPasswordInput!) {
    confirmPassword(input: $input) {
      freshAt
    }
  }
`);
const freshness = graphql(`
  query Freshness {
    me {
      freshAt
    }
  }
`);

let answer: ((isConfirmed: boolean) => void) | undefined;
const listeners = new Set<() => void>();
const notify = () => listeners.forEach((listener) => listener());

/** Asks for the password, or for a passkey on its own page. False where the person cancels. */
export function reauthenticate(): Promise<boolean> {
  answer?.(false);
  return new Promise((resolve) => {
    answer = (isConfirmed) => {
      answer = undefined;
      notify();
      resolve(isConfirmed);
    };
    notify();
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function ReauthenticationDialog() {
  const isOpen = useSyncExternalStore(subscribe, () => answer !== undefined);
  return (
    <Modal opened={isOpen} onClose={() => answer?.(false)} title="Confirm it's you">
      {isOpen && <PasswordForm />}
    </Modal>
  );
}

function PasswordForm() {
  const client = useClient();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);

  // a person who has used the other page returns to this one
  useEffect(() => {
    const fetchFreshAt = async () =>
      (await client.query(freshness, {}, { requestPolicy: 'network-only' })).data?.me.freshAt;
    const before = fetchFreshAt();
    const check = async () => {
      const now = await fetchFreshAt();
      if (now && now !== (await before)) answer?.(true);
    };
    window.addEventListener('focus', check);
    return () => window.removeEventListener('focus', check);
  }, [client]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { error } = await client.mutation(confirmPassword, { input: { password } });
    if (error) setProblem(problemOf(error));
    else answer?.(true);
  };

  const fault = problem?.errors[0]?.detail;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">This action requires that you confirmed your identity in the last 10 minutes.</Text>
        {problem && <ProblemNote problem={problem} />}
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          required
          value={password}
          error={fault}
          aria-invalid={fault !== undefined}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Group justify="space-between">
          <Anchor href="/confirm?next=/account" target="_blank" size="sm">
            Use a passkey or sign-in provider
          </Anchor>
          <Button type="submit">Confirm</Button>
        </Group>
      </Stack>
    </form>
  );
}
