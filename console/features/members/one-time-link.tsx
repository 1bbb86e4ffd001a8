import { Button, Group, Stack, Text } from '@mantine/core';
import { SecretOnce } from '../../kit/copy.tsx';

interface Props {
  url: string;
  /** Who should get the link, and what it allows. */
  note: string;
  onDone(): void;
}

/** A single-use link, shown only once. */
export const OneTimeLink = ({ url, note, onDone }: Props) => (
  <Stack>
    <SecretOnce label="Link" value={url} note="Copy it now. It is not shown again." />
    <Text size="sm">{note} It works once and expires after 24 hours.</Text>
    <Group justify="flex-end">
      <Button onClick={onDone}>Done</Button>
    </Group>
  </Stack>
);
