import { Box, Group, Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  /** One sentence, where the title is not sufficient. */
  lead?: ReactNode;
  /** Buttons of this section. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A framed section of a page. */
export function Section({ title, lead, actions, children }: Props) {
  const id = useId();
  return (
    <Paper component="section" p="lg" mb="lg" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb={children ? 'md' : 0}>
        <Box flex="1 1 16rem">
          <Title order={2} id={id}>
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed" mt={2} maw="42rem">
              {lead}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  );
}
