import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../kit/copy.tsx';

export interface Revealed {
  key: string;
  /** "New API key" */
  title: string;
}

interface Props {
  revealed: Revealed | null;
  onClose(): void;
}

/** Shows a key until the dialog is closed. */
export const RevealedKeyDialog = ({ revealed, onClose }: Props) => (
  <Modal opened={revealed !== null} onClose={onClose} title={revealed?.title}>
    {revealed && (
      <Stack>
        <CopyField label="API key" value={revealed.key} />
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
