import { Button, Group, Stack, Text } from '@mantine/core';
import { SecretOnce } from '../../../kit/copy.tsx';

interface Props {
  url: string;
  /** What whoever has it can do, and with whom it belongs. */
  note: string;
  onDone(): void;
}

/** A single-use link on the one occasion that it is shown. */
export const LinkOnce = ({ url, note, onDone }: Props) => (
  <Stack>
    <SecretOnce label="Link" value={url} note="Copy it now: it is not shown again" />
    <Text size="sm">{note} It works once, for 24 hours.</Text>
    <Group justify="flex-end">
      <Button onClick={onDone}>Done</Button>
    </Group>
  </Stack>
);
