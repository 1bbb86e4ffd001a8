import { Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { HealthBadge } from '../../features/integrations/health.tsx';
import { type Integration, useIntegration } from './integration-query.ts';
import { useConnectors } from '../../features/integrations/connectors.ts';

const trail = [['Integration settings', '/integrations']] as const;

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useIntegration(id);
  const connection = result.data?.connection;
  return (
    <Page
      title={connection?.name ?? 'Integration'}
      heading={connection && <Heading of={connection} />}
      trail={trail}
      actions={connection && <Actions of={connection} />}
    >
      <Loaded result={result} refetch={refetch}>
        {({ connection }) => <IntegrationTabs of={connection} />}
      </Loaded>
    </Page>
  );
}

const Heading = ({ of }: { of: Integration }) => (
  <Group gap="sm" component="span">
    <Untrusted text={of.name} />
    <HealthBadge of={of} />
  </Group>
);

const verify = graphql(`
  mutation VerifyIntegration($id: ID!) {
    verifyConnection(input: { id: $id }) {
      id
      status
    }
  }
`);
const pause = graphql(`
  mutation PauseIntegration($id: ID!) {
    pauseConnection(input: { id: $id }) {
      id
    }
  }
`);
const resume = graphql(`
  mutation ResumeIntegration($id: ID!) {
    resumeConnection(input: { id: $id }) {
      id
    }
  }
`);

const testResults = {
  connected: 'Connection test passed.',
  limited: 'Connection test passed with limitations.',
  failed: 'Connection test failed.',
  unverified: 'Connection test did not finish.',
};

function Actions({ of: { id, pausedAt } }: { of: Integration }) {
  const checking = useChange(verify, {
    done: ({ verifyConnection: { status } }) => testResults[status],
    isLoud: true,
  });
  const pausing = useChange(pause, { done: 'Integration paused. New calls are refused.', isLoud: true });
  const resuming = useChange(resume, { done: 'Integration resumed.', isLoud: true });
  return (
    <>
      {pausedAt ? (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={resuming.isSending}
          onClick={() => resuming.send({ id })}
        >
          Resume integration
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} aria-hidden />}
          loading={pausing.isSending}
          onClick={() => pausing.send({ id })}
        >
          Pause integration
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        loading={checking.isSending}
        onClick={() => checking.send({ id })}
      >
        Test connection
      </Button>
    </>
  );
}

function IntegrationTabs({ of: { id, kind } }: { of: Integration }) {
  const [{ data }] = useConnectors();
  const { offers = [], fields = [] } = data?.connectors.find((each) => each.id === kind) ?? {};
  const tabs = [
    { path: 'overview', label: 'Overview' },
    { path: 'settings', label: 'Settings' },
    { path: 'tools', label: 'Tools', isHidden: !offers.includes('tools') },
    { path: 'accounts', label: 'Accounts', isHidden: !fields.some(({ name }) => name === 'credentials') },
    { path: 'sync', label: 'Sync', isHidden: !offers.some((offer) => offer === 'knowledge' || offer === 'spend') },
  ];
  return <RouteTabs base={`/integrations/${id}`} tabs={tabs} label="Integration" />;
}
