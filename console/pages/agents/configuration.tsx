import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { type Configuration, useConfiguration } from './configuration-query.ts';

const trail = [['Capabilities', '/agents/capabilities/configurations']] as const;

export function Component() {
  const { id = '' } = useParams();
  const mayManage = useMay()('configurations:manage');
  const [result, refetch] = useConfiguration(id);
  const configuration = result.data?.configuration;
  return (
    <Page
      title={configuration?.name ?? 'Configuration'}
      heading={configuration && <Heading of={configuration} />}
      trail={trail}
      actions={configuration && mayManage && <Pausing of={configuration} />}
    >
      <Loaded result={result} refetch={refetch}>
        {() => <ConfigurationTabs id={id} />}
      </Loaded>
    </Page>
  );
}

const Heading = ({ of: { name, pausedAt } }: { of: Configuration }) => (
  <Group gap="sm" component="span">
    <Untrusted text={name} />
    {pausedAt && <StateBadge state="paused" label="Paused" />}
  </Group>
);

function ConfigurationTabs({ id }: { id: string }) {
  const may = useMay();
  const tabs = [
    { path: 'overview', label: 'Overview' },
    { path: 'integrations', label: 'Integrations' },
    { path: 'policy', label: 'Policy' },
    { path: 'a2a', label: 'A2A' },
    { path: 'mcp', label: 'MCP', isHidden: !may('organization:manage') },
    { path: 'activity', label: 'Activity' },
  ];
  return <RouteTabs base={`/agents/capabilities/configurations/${id}`} tabs={tabs} label="Configuration" />;
}

const pause = graphql(`
  mutation PauseConfiguration($id: ID!) {
    pauseConfiguration(input: { configurationId: $id }) {
      id
      pausedAt
    }
  }
`);
const resume = graphql(`
  mutation ResumeConfiguration($id: ID!) {
    resumeConfiguration(input: { configurationId: $id }) {
      id
      pausedAt
    }
  }
`);

function Pausing({ of: { id, name, pausedAt } }: { of: Configuration }) {
  const [isOpen, dialog] = useDisclosure();
  const pausing = useChange(pause, { done: 'Configuration paused. New calls are refused.', onDone: dialog.close });
  const resuming = useChange(resume, { done: 'Configuration resumed. Its tasks continue.', isLoud: true });
  if (pausedAt)
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resuming.isSending}
        onClick={() => resuming.send({ id })}
      >
        Resume configuration
      </Button>
    );
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={dialog.open}>
        Pause configuration
      </Button>
      <Confirm
        opened={isOpen}
        onClose={dialog.close}
        title="Pause configuration?"
        verb="Pause configuration"
        problem={pausing.problem}
        isSending={pausing.isSending}
        onConfirm={() => pausing.send({ id })}
      >
        All calls by agents and assistants through <Untrusted text={name} /> are refused immediately. Its tasks wait
        until you resume it.
      </Confirm>
    </>
  );
}
