import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Agent } from '../configuration-query.ts';
import { expiry, lifetimes } from './lifetimes.ts';
import type { Revealed } from './revealed-key-dialog.tsx';

const mutation = graphql(`
  mutation CreateA2aKey($input: CreateA2aKeyInput!) {
    createA2aKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);

interface Props {
  agent: Agent;
  opened: boolean;
  onClose(): void;
  onRevealed(shown: Revealed): void;
}

export const GenerateKeyDialog = ({ opened, ...rest }: Props) => (
  <Modal opened={opened} onClose={rest.onClose} title="Generate API key">
    {opened && <GenerateKeyForm {...rest} />}
  </Modal>
);

function GenerateKeyForm({ agent: { id: agentId, name }, onClose, onRevealed }: Omit<Props, 'opened'>) {
  const [lifetime, setLifetime] = useState<string>(lifetimes[0].value);
  const { send, problem, isSending } = useChange(mutation, {
    onDone: ({ createA2aKey: { key } }) => {
      onClose();
      onRevealed({ key, title: 'New API key' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { agentId, expiresAt: expiry(lifetime) } });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Text size="sm">
          For <Untrusted text={name} />. The key is shown next. To show it again later, you need to confirm your
          identity, and the audit log records it.
        </Text>
        <Select
          label="Expires after"
          data={lifetimes}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => value && setLifetime(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} data-autofocus>
            Generate key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
