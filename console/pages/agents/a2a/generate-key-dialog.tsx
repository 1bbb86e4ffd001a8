import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Agent } from '../configuration-query.ts';
import { createA2aKey } from './create-key.ts';
import { expiry, lifetimes } from './lifetimes.ts';
import type { ShownKey } from './shown-key.ts';
import { useKeyDialog } from './use-key-dialog.ts';

interface Props {
  agent: Agent;
  opened: boolean;
  onClose(): void;
  onShown(key: ShownKey): void;
}

export function GenerateKeyDialog({ opened, onShown, ...rest }: Props) {
  const dialog = useKeyDialog(onShown);
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Generate API key" returnFocus={dialog.returnsFocus}>
      {opened && <GenerateKeyForm {...rest} onShown={dialog.onShown} />}
    </Modal>
  );
}

function GenerateKeyForm({ agent: { id: agentId, name }, onClose, onShown }: Omit<Props, 'opened'>) {
  const [lifetime, setLifetime] = useState<string>(lifetimes[0].value);
  const { send, problem, isSending } = useChange(createA2aKey, {
    onDone: ({ createA2aKey: { key, a2aKey } }) => {
      onClose();
      onShown({ id: a2aKey.id, key });
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
