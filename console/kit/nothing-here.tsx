import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

export const Component = () => (
  <Page title="Page not found">
    <Empty
      icon={IconMapOff}
      title="This page doesn't exist"
      action={
        <Button component={Link} to="/" variant="light">
          Go to Home
        </Button>
      }
    >
      It may have been removed, or the link is incomplete.
    </Empty>
  </Page>
);
