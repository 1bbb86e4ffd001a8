import { Button, type ButtonProps, Stack, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface Props extends ButtonProps {
  label: string;
  description: string;
  icon: Icon;
  onClick(): void;
}

export const ConnectorButton = ({ label, description, icon: Picture, ...button }: Props) => (
  <Button
    variant="default"
    h="auto"
    py="sm"
    justify="flex-start"
    flex="1 1 15rem"
    leftSection={<Picture size={22} stroke={1.6} aria-hidden />}
    {...button}
  >
    <Stack gap={0} align="flex-start">
      <span>{label}</span>
      <Text size="xs" c="dimmed" fw={400} style={{ whiteSpace: 'normal' }} ta="start">
        {description}
      </Text>
    </Stack>
  </Button>
);
