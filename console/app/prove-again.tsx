import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { graphql } from '../api/graphql.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { ProblemNote } from '../kit/problem-note.tsx';

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

let answer: ((isProved: boolean) => void) | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Asks who is there, by password here or by passkey on the page for it. False where they would rather not. */
export function provedAgain(): Promise<boolean> {
  answer?.(false);
  return new Promise((resolve) => {
    answer = (isProved) => {
      answer = undefined;
      tell();
      resolve(isProved);
    };
    tell();
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function ProveAgain() {
  const isAsked = useSyncExternalStore(subscribe, () => answer !== undefined);
  return (
    <Modal opened={isAsked} onClose={() => answer?.(false)} title="Is it still you?">
      {isAsked && <Asked />}
    </Modal>
  );
}

function Asked() {
  const client = useClient();
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);

  // whoever proved it on the page beside comes back to this one
  useEffect(() => {
    const ask = async () => (await client.query(freshness, {}, { requestPolicy: 'network-only' })).data?.me.freshAt;
    const before = ask();
    const look = async () => {
      const now = await ask();
      if (now && now !== (await before)) answer?.(true);
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [client]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { error } = await client.mutation(confirmPassword, { input: { password } });
    if (error) setProblem(problemOf(error));
    else answer?.(true);
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">This is only done for somebody who has proved in the last ten minutes who they are.</Text>
        {problem && <ProblemNote problem={problem} />}
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          data-autofocus
          required
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Group justify="space-between">
          <Anchor href="/confirm?next=/account" target="_blank" size="sm">
            Use a passkey or your provider
          </Anchor>
          <Button type="submit">Go on</Button>
        </Group>
      </Stack>
    </form>
  );
}
