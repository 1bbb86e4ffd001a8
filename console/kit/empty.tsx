import { Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  icon: Icon;
  /** What is not there yet. */
  title: string;
  /** Why, and what to do next. */
  children?: ReactNode;
  /** The button that does it. */
  action?: ReactNode;
}

/** Where there is nothing yet: says what to do next. */
export const Empty = ({ icon: Picture, title, children, action }: Props) => (
  <Paper p="xl" ta="center">
    <Stack align="center" gap="xs">
      <ThemeIcon variant="light" size={44} radius="xl" aria-hidden>
        <Picture size={24} />
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
