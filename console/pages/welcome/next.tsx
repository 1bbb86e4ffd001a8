import { Button, List } from '@mantine/core';
import { IconConfetti } from '@tabler/icons-react';
import { Link, Navigate } from 'react-router';
import { Empty } from '../../kit/empty.tsx';
import { nextOf, useWelcome } from './progress.ts';

/** Where to go on; at the end, what there is from here. */
export function Component() {
  const { progress } = useWelcome();
  const next = nextOf(progress);
  if (next) return <Navigate to={`/welcome/${next.path}`} replace />;
  return (
    <Empty
      icon={IconConfetti}
      title="Everything is set up"
      action={
        <Button component={Link} to="/" mt="sm">
          To the start
        </Button>
      }
    >
      <List size="sm" ta="start" mt="xs">
        <List.Item>What agents may do is in the policy of their configuration, under Agents.</List.Item>
        <List.Item>What waits for a person is under Approvals.</List.Item>
        <List.Item>What was asked and done is under Tasks and Audit.</List.Item>
      </List>
    </Empty>
  );
}
