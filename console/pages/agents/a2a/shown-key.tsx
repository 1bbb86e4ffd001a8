import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../kit/copy.tsx';

export interface Shown {
  key: string;
  /** "New API key" */
  title: string;
}

interface Props {
  shown: Shown | null;
  onClose(): void;
}

/** Shows a key until the dialog is closed. */
export const ShownKey = ({ shown, onClose }: Props) => (
  <Modal opened={shown !== null} onClose={onClose} title={shown?.title}>
    {shown && (
      <Stack>
        <CopyField label="API key" value={shown.key} />
        <Text size="sm">
          Share this key only with the agent, over a secure channel. Anyone with the key can act as this identity.
          Because you saw this key, you can't approve its requests.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
