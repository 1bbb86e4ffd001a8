import { Anchor, Box, List, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Approval } from './approval-query.ts';

const shown = 5;

/** What people made of calls like this one before: the same tool in the same configuration. */
export function Earlier({ approval: { earlier, call } }: { approval: Approval }) {
  if (!earlier.length)
    return (
      <Text size="sm" c="dimmed">
        Nobody has decided on this tool before, as far as you may see.
      </Text>
    );
  const approved = earlier.filter(({ state }) => state === 'approved').length;
  const isSame = (one: Approval['earlier'][number]) => one.call.argumentsHash === call.argumentsHash;
  const same = earlier.filter(isSame).length;
  return (
    <Box component="section" aria-labelledby="earlier">
      <Title order={3} id="earlier" mb={4}>
        Decided before
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        Of the last {earlier.length} calls of this tool here, people approved {approved} and denied{' '}
        {earlier.length - approved}.{' '}
        {same ? `${same} had exactly these arguments.` : 'None had exactly these arguments.'}
      </Text>
      <List listStyleType="none" spacing={6} size="sm">
        {earlier.slice(0, shown).map((one) => (
          <List.Item key={one.id}>
            <StateBadge state={one.state} />{' '}
            <Anchor component={Link} to={`/approvals/${one.id}`} inherit>
              by <Untrusted text={one.decider?.name ?? 'somebody who left'} />
            </Anchor>{' '}
            <Text span inherit c="dimmed">
              <When at={one.decidedAt} />
              {isSame(one) && ', the same arguments'}
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
