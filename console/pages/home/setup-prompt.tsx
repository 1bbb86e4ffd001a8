import { Alert, Button, Group } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { HomeData } from './home-query.ts';

/** The organization has no integration or no configuration yet. */
export const needsSetup = ({ connections, configurations }: HomeData): boolean =>
  connections?.totalCount === 0 || configurations?.totalCount === 0;

export const SetupPrompt = () => (
  <Alert icon={<IconRocket aria-hidden />} title="Finish setting up your organization" mb="lg">
    <Group justify="space-between">
      <span>Add an integration and a configuration so that agents can send tasks. This takes a few minutes.</span>
      <Button component={Link} to="/welcome">
        Continue setup
      </Button>
    </Group>
  </Alert>
);
