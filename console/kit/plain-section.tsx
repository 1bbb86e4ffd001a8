import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A section without a frame, for content that has its own: a list, tiles. Other content goes into a `<Section>`. */
export function PlainSection({ title, lead, actions, children }: Props) {
  const id = useId();
  return (
    <Box component="section" mb="xl" aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm" mb="sm">
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
    </Box>
  );
}
