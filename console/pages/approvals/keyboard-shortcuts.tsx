import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';

const shortcuts: readonly (readonly [readonly string[], string])[] = [
  [['j'], 'Next approval'],
  [['k'], 'Previous approval'],
  [['↑', '↓'], 'Next or previous, with the focus in the list'],
  [['a'], 'Focus Approve; press Enter to confirm'],
  [['d'], 'Deny; asks for a reason'],
  [['o'], 'Show all collapsed and hidden values'],
  [['?'], 'Show or hide this help'],
];

export const KeyboardShortcuts = ({ opened, onClose }: { opened: boolean; onClose(): void }) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
    <Stack gap="xs">
      {shortcuts.map(([keys, description]) => (
        <Group key={description} wrap="nowrap">
          <Group gap={4} w="4rem" justify="center">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
          <Text size="sm">{description}</Text>
        </Group>
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        No single key press decides an approval.
      </Text>
    </Stack>
  </Modal>
);
