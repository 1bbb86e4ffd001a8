import { Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  icon: Icon;
  /** What is missing. */
  title: string;
  /** The reason, and the next step. */
  children?: ReactNode;
  /** The button for the next step. */
  action?: ReactNode;
}

/** Empty state. */
export const Empty = ({ icon: EmptyIcon, title, children, action }: Props) => (
  <Paper p="xl" ta="center">
    <Stack align="center" gap="xs">
      <ThemeIcon variant="light" size={44} radius="xl" aria-hidden>
        <EmptyIcon size={24} />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" maw="32rem" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Paper>
);
