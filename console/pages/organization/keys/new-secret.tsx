import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SecretOnce } from '../../../kit/copy.tsx';

interface Props {
  opened: boolean;
  onClose(): void;
  title: string;
  /** Of the secret, once it is there. */
  label: string;
  /** Where it goes from here. */
  hint: string;
  /** The form; it tells what was made. */
  children(show: (secret: string) => void): ReactNode;
}

/** A dialog that makes a secret, shows it once, and forgets it when it is closed. */
export const NewSecret = ({ opened, onClose, title, ...rest }: Props) => (
  <Modal opened={opened} onClose={onClose} title={title} size="lg" closeOnClickOutside={false}>
    {opened && <Inside onClose={onClose} {...rest} />}
  </Modal>
);

function Inside({ onClose, label, hint, children }: Omit<Props, 'opened' | 'title'>) {
  const [secret, setSecret] = useState<string | null>(null);
  if (!secret) return children(setSecret);
  return (
    <Stack>
      <SecretOnce label={label} value={secret} note="Copy it now: it is not shown again" />
      <Text size="sm">{hint}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
