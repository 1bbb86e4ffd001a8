import { Alert, Button, Group } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Today } from './today.ts';

/** The organization has no integration or no configuration yet. */
export const isNew = ({ connections, configurations }: Today): boolean =>
  connections?.totalCount === 0 || configurations?.totalCount === 0;

export const SetUpOn = () => (
  <Alert icon={<IconRocket aria-hidden />} title="Finish setting up your organization" mb="lg">
    <Group justify="space-between">
      <span>Add an integration and a configuration so that agents can send tasks. This takes a few minutes.</span>
      <Button component={Link} to="/welcome">
        Continue setup
      </Button>
    </Group>
  </Alert>
);
