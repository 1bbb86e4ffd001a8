import { Anchor, Box, List, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { approvalStateName } from '../../features/tasks/states.ts';
import type { Approval } from './approval-query.ts';

const shownCount = 5;

/** Past decisions on the same tool in the same configuration. */
export function PastDecisions({ approval: { earlier, call } }: { approval: Approval }) {
  if (!earlier.length)
    return (
      <Text size="sm" c="dimmed">
        No past decisions on this tool are visible to you.
      </Text>
    );
  const approved = earlier.filter(({ state }) => state === 'approved').length;
  const hasSameArguments = (one: Approval['earlier'][number]) => one.call.argumentsHash === call.argumentsHash;
  const sameCount = earlier.filter(hasSameArguments).length;
  return (
    <Box component="section" aria-labelledby="earlier">
      <Title order={3} id="earlier" mb={4}>
        Past decisions
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        Last {earlier.length} calls of this tool in this configuration: {approved} approved, {earlier.length - approved}{' '}
        denied. {sameCount || 'None'} had identical arguments.
      </Text>
      <List listStyleType="none" spacing={6} size="sm">
        {earlier.slice(0, shownCount).map((one) => (
          <List.Item key={one.id}>
            <StateBadge state={one.state} label={approvalStateName(one.state)} />{' '}
            <Anchor component={Link} to={`/approvals/${one.id}`} inherit>
              <Untrusted text={one.decider?.name ?? 'Former member'} />
            </Anchor>{' '}
            <Text span inherit c="dimmed">
              <When at={one.decidedAt} />
              {hasSameArguments(one) && ', identical arguments'}
              {one.reason && (
                <>
                  : <Untrusted text={one.reason} />
                </>
              )}
            </Text>
          </List.Item>
        ))}
      </List>
    </Box>
  );
}
