import { Button, List } from '@mantine/core';
import { IconConfetti } from '@tabler/icons-react';
import { Link, Navigate } from 'react-router';
import { Empty } from '../../kit/empty.tsx';
import { nextOf, useSetup } from './setup-progress.ts';

/** Opens the next step, or a summary once all steps are done. */
export function Component() {
  const { progress } = useSetup();
  const next = nextOf(progress);
  if (next) return <Navigate to={`/welcome/${next.path}`} replace />;
  return (
    <Empty
      icon={IconConfetti}
      title="Setup complete"
      action={
        <Button component={Link} to="/" mt="sm">
          Go to Home
        </Button>
      }
    >
      <List size="sm" ta="start" mt="xs">
        <List.Item>Agents: edit the policy of a configuration to control what its agents can do.</List.Item>
        <List.Item>Approvals: decide calls that wait for a person.</List.Item>
        <List.Item>Tasks and Audit: see what agents requested and what happened.</List.Item>
      </List>
    </Empty>
  );
}
