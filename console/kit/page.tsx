import { Anchor, Box, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';

interface Props {
  /** Also what the browser's tab says. */
  title: string;
  /** Where the title is not plain text: with an outsider's name, a badge. */
  heading?: ReactNode;
  /** One sentence: what this page is for. */
  lead?: ReactNode;
  /** The way here: [["Tasks", "/tasks"]]. */
  trail?: readonly (readonly [string, string])[];
  /** Buttons, the most important one last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: title, way back, what can be done. */
export function Page({ title, heading, lead, trail, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  return (
    <Box maw="var(--page-width)" mx="auto" w="100%">
      {trail && (
        <Breadcrumbs mb={4} separatorMargin={6}>
          {trail.map(([name, to]) => (
            <Anchor key={to} component={Link} to={to} size="sm" c="dimmed">
              {name}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
        <Box flex="1 1 20rem">
          <Title order={1}>{heading ?? title}</Title>
          {lead && (
            <Text c="dimmed" size="sm" mt={4} maw="44rem">
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
