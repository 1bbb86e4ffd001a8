import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Agent } from '../configuration-query.ts';
import { expiry, lifetimes } from './lifetimes.ts';
import type { Shown } from './shown-key.tsx';

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
  onShown(shown: Shown): void;
}

export const NewKey = ({ opened, ...rest }: Props) => (
  <Modal opened={opened} onClose={rest.onClose} title="Generate a key">
    {opened && <NewKeyForm {...rest} />}
  </Modal>
);

function NewKeyForm({ agent: { id: agentId, name }, onClose, onShown }: Omit<Props, 'opened'>) {
  const [lifetime, setLifetime] = useState<string>(lifetimes[0].value);
  const { send, problem, isSending } = useChange(mutation, {
    onDone: ({ createA2aKey: { key } }) => {
      onClose();
      onShown({ key, title: 'The new key' });
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
          For <Untrusted text={name} />. It is shown next; later it is shown again only to somebody who proves who they
          are, and that is recorded.
        </Text>
        <Select
          label="Works for"
          data={lifetimes}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => value && setLifetime(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} data-autofocus>
            Generate
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
