import { Group, Kbd, Modal, Stack, Text } from '@mantine/core';

const keys: readonly (readonly [readonly string[], string])[] = [
  [['j'], 'the next one'],
  [['k'], 'the one before'],
  [['↑', '↓'], 'the same, within the list'],
  [['a'], 'to the button that approves; Enter presses it'],
  [['d'], 'deny: asks for the reason'],
  [['o'], 'open everything that is folded or hidden'],
  [['?'], 'this help'],
];

export const KeysHelp = ({ opened, onClose }: { opened: boolean; onClose(): void }) => (
  <Modal opened={opened} onClose={onClose} title="Keys">
    <Stack gap="xs">
      {keys.map(([pressed, what]) => (
        <Group key={what} wrap="nowrap">
          <Group gap={4} w="4rem" justify="center">
            {pressed.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </Group>
          <Text size="sm">{what}</Text>
        </Group>
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        No single key decides.
      </Text>
    </Stack>
  </Modal>
);
