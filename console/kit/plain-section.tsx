import { Box, Group } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { SectionHeading, type SectionHeadingProps } from './section-heading.tsx';

/** A section without a frame, for content that has its own: a list, tiles. Other content goes into a `<Section>`. */
export function PlainSection({ children, ...heading }: SectionHeadingProps & { children: ReactNode }) {
  const id = useId();
  return (
    <Box component="section" mb="xl" aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm" mb="sm">
        <SectionHeading id={id} {...heading} />
      </Group>
      {children}
    </Box>
  );
}
