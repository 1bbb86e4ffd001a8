import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { healthNames } from '../../features/integrations/health.tsx';
import type { SetupConnection } from './setup-progress.ts';

/** The integrations that exist, with their health. */
export const ConnectionList = ({ connections }: { connections: readonly SetupConnection[] }) => (
  <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
    {connections.map(({ id, name, status, statusReason, documentCount }) => (
      <li key={id}>
        <Group gap="xs">
          <Anchor component={Link} to={`/integrations/${id}`} size="sm" fw={550}>
            <Untrusted text={name} />
          </Anchor>
          <StateBadge state={status} label={healthNames[status]} />
          {documentCount !== null && (
            <Text size="sm" c="dimmed">
              {documentCount === 1 ? '1 document read' : `${documentCount} documents read`}
            </Text>
          )}
        </Group>
        {statusReason && (
          <Text size="sm" mt={4}>
            <Untrusted text={statusReason} />
          </Text>
        )}
      </li>
    ))}
  </Stack>
);
