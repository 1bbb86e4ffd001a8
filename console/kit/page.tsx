import { Anchor, Box, Breadcrumbs, Group, Text, Title } from '@mantine/core';
import { createContext, type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';

/** Whether there is a page title already. */
export const WithinPage = createContext(false);

interface Props {
  /** Also the title of the browser tab. */
  title: string;
  /** Replaces the title where it contains untrusted text or a badge. */
  heading?: ReactNode;
  /** The purpose of the page, in one sentence. */
  lead?: ReactNode;
  /** Breadcrumbs: [["Tasks", "/tasks"]]. */
  trail?: readonly (readonly [string, string])[];
  /** Buttons, the primary one last. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page: breadcrumbs, title, actions. After navigation, its title has the focus. */
export function Page({ title, heading, lead, trail, actions, children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const isFirstPage = useLocation().key === 'default';
  useEffect(() => {
    // a part of the page may have taken the focus already
    if (isFirstPage || frame.current?.contains(document.activeElement)) return;
    frame.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, []); // eslint-disable-line react-hooks/exhaustive-deps -- once, when the page opens
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  return (
    <Box ref={frame} maw="var(--page-width)" mx="auto" w="100%">
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
          <Title order={1} tabIndex={-1}>
            {heading ?? title}
          </Title>
          {lead && (
            <Text c="dimmed" size="sm" mt={4} maw="44rem">
              {lead}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <WithinPage value>{children}</WithinPage>
    </Box>
  );
}
