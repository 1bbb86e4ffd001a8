import { Box, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export interface SectionHeadingProps {
  title: string;
  /** One sentence, where the title is not sufficient. */
  lead?: ReactNode;
  /** Buttons of this section. */
  actions?: ReactNode;
}

/** The title, lead and actions of a section. `id` names the section for assistive technology. */
export const SectionHeading = ({ id, title, lead, actions }: SectionHeadingProps & { id: string }) => (
  <>
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
  </>
);
