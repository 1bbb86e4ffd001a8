import { Group, Paper } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { SectionHeading, type SectionHeadingProps } from './section-heading.tsx';

/** A framed section of a page. */
export function Section({ children, ...heading }: SectionHeadingProps & { children?: ReactNode }) {
  const id = useId();
  return (
    <Paper component="section" p="lg" mb="lg" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm" mb={children ? 'md' : 0}>
        <SectionHeading id={id} {...heading} />
      </Group>
      {children}
    </Paper>
  );
}
