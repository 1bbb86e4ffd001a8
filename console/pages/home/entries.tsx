import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import './entries.css';

/** A list of things to do. Each entry links to the page where it is done. */
export const Entries = ({ children }: { children: ReactNode }) => (
  <Stack component="ul" gap={0} p={0} m={0} className="entries">
    {children}
  </Stack>
);

interface EntryProps {
  to: string;
  title: ReactNode;
  about?: ReactNode;
  /** Shown at the end of the line. */
  aside?: ReactNode;
}

export const Entry = ({ to, title, about, aside }: EntryProps) => (
  <Group component="li" justify="space-between" gap="md" align="flex-start" className="entry">
    <div className="entry-main">
      <Anchor component={Link} to={to} size="sm" fw={550} display="block">
        {title}
      </Anchor>
      {about && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {about}
        </Text>
      )}
    </div>
    {aside && (
      <Text size="sm" component="div" className="entry-aside">
        {aside}
      </Text>
    )}
  </Group>
);
