import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../../kit/copy.tsx';

export interface Shown {
  key: string;
  /** "The new key" */
  title: string;
}

interface Props {
  shown: Shown | null;
  onClose(): void;
}

/** A key as it is, until the dialog is closed. */
export const ShownKey = ({ shown, onClose }: Props) => (
  <Modal opened={shown !== null} onClose={onClose} title={shown?.title}>
    {shown && (
      <Stack>
        <CopyField label="API key" value={shown.key} />
        <Text size="sm">
          Give it to the agent alone, by a way that you trust. Whoever holds it acts as this identity. You have seen it,
          so you do not approve what is asked with it.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
