import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';

export const Component = () => (
  <Page title="There is nothing here">
    <Empty
      icon={IconMapOff}
      title="No page has this address"
      action={
        <Button component={Link} to="/" variant="light">
          To the start
        </Button>
      }
    >
      It may have been removed, or the link was cut off.
    </Empty>
  </Page>
);
