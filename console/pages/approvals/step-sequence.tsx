import { Anchor, Box, List, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { StateBadge } from '../../kit/state-badge.tsx';
import { approvalStateName } from '../../features/tasks/states.ts';
import type { Approval } from './approval-query.ts';

/** The steps that the call needs, in their order. Nothing if there is only one. */
export function StepSequence({ approval: { id, stepNumber, stepCount, steps } }: { approval: Approval }) {
  if (stepCount === 1) return null;
  return (
    <Box component="section" aria-labelledby="steps">
      <Title order={3} id="steps" mb="xs">
        Step {stepNumber} of {stepCount}
      </Title>
      <List type="ordered" size="sm" spacing={4}>
        {steps.map(({ approvalId, stepName, state, isVisible }) => (
          <List.Item key={approvalId}>
            {isVisible && approvalId !== id ? (
              <Anchor component={Link} to={`/approvals/${approvalId}`} inherit>
                {stepName}
              </Anchor>
            ) : (
              <Text
                span
                inherit
                fw={approvalId === id ? 600 : undefined}
                aria-current={approvalId === id ? 'step' : undefined}
              >
                {stepName}
              </Text>
            )}{' '}
            <StateBadge state={state} label={approvalStateName(state)} />
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed" mt="xs">
        A step opens once the steps before it are approved. The call runs after the last one.
      </Text>
    </Box>
  );
}
