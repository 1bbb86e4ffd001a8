import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../app/me.tsx';
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
  const [asked, again] = useConfiguration(id);
  const configuration = asked.data?.configuration;
  return (
    <Page
      title={configuration?.name ?? 'Configuration'}
      heading={configuration && <Heading of={configuration} />}
      trail={trail}
      actions={configuration && mayManage && <Pausing of={configuration} />}
    >
      <Loaded asked={asked} again={again}>
        {() => <Places id={id} />}
      </Loaded>
    </Page>
  );
}

const Heading = ({ of: { name, pausedAt } }: { of: Configuration }) => (
  <Group gap="sm" component="span">
    <Untrusted text={name} />
    {pausedAt && <StateBadge state="paused" />}
  </Group>
);

function Places({ id }: { id: string }) {
  const may = useMay();
  const tabs = [
    { path: 'overview', label: 'Overview' },
    { path: 'integrations', label: 'Integrations' },
    { path: 'policy', label: 'Policy' },
    { path: 'a2a', label: 'A2A' },
    { path: 'mcp', label: 'MCP', isHidden: !may('organization:manage') },
    { path: 'activity', label: 'Activity' },
  ];
  return <RouteTabs base={`/agents/capabilities/configurations/${id}`} tabs={tabs} label="About this configuration" />;
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
  const [isAsked, asking] = useDisclosure();
  const pausing = useChange(pause, { done: 'Paused. The next call through it is refused.', onDone: asking.close });
  const resuming = useChange(resume, { done: 'Resumed. Its tasks go on.', isLoud: true });
  if (pausedAt)
    return (
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={16} aria-hidden />}
        loading={resuming.isSending}
        onClick={() => resuming.send({ id })}
      >
        Resume
      </Button>
    );
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={asking.open}>
        Pause
      </Button>
      <Confirm
        opened={isAsked}
        onClose={asking.close}
        title="Pause this configuration?"
        verb="Pause"
        problem={pausing.problem}
        isSending={pausing.isSending}
        onConfirm={() => pausing.send({ id })}
      >
        Every call through <Untrusted text={name} /> is refused from now on, by agents and by assistants. Its tasks
        wait, and go on once it is resumed.
      </Confirm>
    </>
  );
}
