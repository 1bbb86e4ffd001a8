import { Alert, Button, Group } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Today } from './today.ts';

/** Nothing is connected, or nothing is made of it yet. */
export const isNew = ({ connections, configurations }: Today): boolean =>
  connections?.totalCount === 0 || configurations?.totalCount === 0;

export const SetUpOn = () => (
  <Alert icon={<IconRocket aria-hidden />} title="Your organization is not set up yet" mb="lg">
    <Group justify="space-between">
      <span>Connect a first system and make a first configuration: a few minutes until an agent can ask.</span>
      <Button component={Link} to="/welcome">
        Go on setting up
      </Button>
    </Group>
  </Alert>
);
