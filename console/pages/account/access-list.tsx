import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';

/** Lists sessions or devices that have access as the member. Each item is an `AccessItem`. */
export const AccessList = ({ label, children }: { label: string; children: ReactNode }) => (
  <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }} aria-label={label}>
    {children}
  </Stack>
);

interface ItemProps {
  name: string;
  badge?: ReactNode;
  details: ReactNode;
  /** The button that ends the access. Screen readers announce `description` followed by the name of the item. */
  end?: { label: string; description: string; onEnd(): void };
}

export const AccessItem = ({ name, badge, details, end }: ItemProps) => (
  <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
    <div>
      <Group gap="xs">
        <Text size="sm">
          <Untrusted text={name} />
        </Text>
        {badge}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {details}
      </Text>
    </div>
    {end && (
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        aria-label={`${end.description} ${visible(name)}`}
        onClick={end.onEnd}
      >
        {end.label}
      </Button>
    )}
  </Group>
);
