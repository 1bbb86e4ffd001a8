import { Button, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';

const updatePassword = graphql(`
  mutation UpdatePassword($input: UpdatePasswordInput!) {
    updatePassword(input: $input) {
      freshAt
      sessions {
        id
      }
    }
  }
`);

export function ChangePassword() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { send, problem, isSending } = useChange(updatePassword, {
    done: 'Password changed. Your other sessions were signed out.',
    onDone: () => {
      setCurrent('');
      setPassword('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { current, password } });
  };
  return (
    <Section
      title="Password"
      lead="Changing it signs you out everywhere else. Without a password, ask an administrator for a reset link."
    >
      <form onSubmit={submit} aria-label="Change password">
        <Stack maw="24rem">
          {problem && <ProblemNote problem={problem} />}
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={current}
            error={faultOf(problem, 'current')}
            aria-invalid={faultOf(problem, 'current') !== undefined}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters. You can use several words."
            autoComplete="new-password"
            required
            value={password}
            error={faultOf(problem, 'password')}
            aria-invalid={faultOf(problem, 'password') !== undefined}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <div>
            <Button type="submit" loading={isSending}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}
