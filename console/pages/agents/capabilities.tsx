import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';

const tabs = [
  { path: 'configurations', label: 'Configurations' },
  { path: 'approval-steps', label: 'Approval steps' },
];

export const Component = () => (
  <Page
    title="Capabilities"
    lead="Control which systems agents and assistants can use, under which policies, and who approves their calls."
    actions={useMay()('configurations:manage') && <NewConfiguration />}
  >
    <RouteTabs base="/agents/capabilities" tabs={tabs} label="Capabilities" />
  </Page>
);

const NewConfiguration = () => (
  <Button
    component={Link}
    to="/agents/capabilities/configurations/new"
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    Create configuration
  </Button>
);
