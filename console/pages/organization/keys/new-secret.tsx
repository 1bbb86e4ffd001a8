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

/** A dialog that creates a secret and shows it once. */
export const NewSecret = ({ opened, onClose, title, ...rest }: Props) => (
  <Modal opened={opened} onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
    {opened && <SecretDialog onClose={onClose} {...rest} />}
  </Modal>
);

function SecretDialog({ onClose, label, hint, children }: Omit<Props, 'opened' | 'title'>) {
  const [secret, setSecret] = useState<string | null>(null);
  if (!secret) return children(setSecret);
  return (
    <Stack>
      <SecretOnce label={label} value={secret} note="Copy it now. It is not shown again." />
      <Text size="sm">{hint}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
