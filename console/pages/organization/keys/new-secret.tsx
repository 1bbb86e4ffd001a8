import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SecretOnce } from '../../../kit/copy.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  title: string;
  /** Label of the secret. */
  label: string;
  /** Where to use the secret. */
  hint: string;
  /** The form; it calls `show` with the new secret. */
  children(show: (secret: string) => void): ReactNode;
}

/** A dialog that creates a secret and shows it once. While it shows the secret, only its button closes it. */
export function NewSecret({ opened, onClose, title, label, hint, children }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!secret}
      withCloseButton={!secret}
    >
      {opened && !secret && children(setSecret)}
      {secret && (
        <Stack>
          <SecretOnce label={label} value={secret} note="Copy it now. It is not shown again." />
          <Text size="sm">{hint}</Text>
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
