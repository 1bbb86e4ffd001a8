import { Accordion, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { HealthBadge } from '../../features/integrations/health.tsx';
import { AddIntegrations } from './add-integrations.tsx';
import './lines.css';
import { setIntegrations } from './set-integrations.ts';
import { EffectBadge } from './skills.tsx';

const query = graphql(`
  query ConfigurationIntegrations($id: ID!) {
    configuration(id: $id) {
      id
      revision
      connections {
        id
        name
        slug
        kind
        status
        statusReason
        pausedAt
        tools {
          id
          name
          title
          operation
          effect
          isPendingReview
          pausedAt
          goneAt
        }
      }
    }
  }
`);

type ConfigurationIntegrations = ResultOf<typeof query>['configuration'];
type Connection = ConfigurationIntegrations['connections'][number];

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['configuration', 'connection'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ configuration }) => <IntegrationList configuration={configuration} />}
    </Loaded>
  );
}

function IntegrationList({ configuration }: { configuration: ConfigurationIntegrations }) {
  const mayManage = useMay()('configurations:manage');
  const [isOpen, adding] = useDisclosure();
  const { connections } = configuration;
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={adding.open}>
      Add integrations
    </Button>
  );
  return (
    <>
      {connections.length > 0 ? (
        <>
          <Group justify="space-between" mb="md">
            <Text size="sm" c="dimmed">
              The integrations that this configuration can use. The policy controls which tools are allowed.
            </Text>
            {add}
          </Group>
          <Accordion variant="separated" multiple order={2}>
            {connections.map((connection) => (
              <IntegrationItem
                key={connection.id}
                connection={connection}
                configuration={configuration}
                mayManage={mayManage}
              />
            ))}
          </Accordion>
        </>
      ) : (
        <Empty icon={IconPlugConnected} title="No integrations yet" action={add}>
          Add integrations to give agents and assistants tools and documents.
        </Empty>
      )}
      <AddIntegrations configuration={configuration} opened={isOpen} onClose={adding.close} />
    </>
  );
}

interface IntegrationItemProps {
  connection: Connection;
  configuration: ConfigurationIntegrations;
  mayManage: boolean;
}

function IntegrationItem({ connection, configuration, mayManage }: IntegrationItemProps) {
  const tools = connection.tools.filter(({ operation, goneAt }) => operation === 'tool' && !goneAt);
  return (
    <Accordion.Item value={connection.id} className="sheet-item">
      <Accordion.Control>
        <Group gap="sm">
          <Text fw={550}>
            <Untrusted text={connection.name} />
          </Text>
          <HealthBadge of={connection} />
          <Text size="sm" c="dimmed">
            {toolCount(tools.length)}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <ul className="lines">
          {tools.map((tool) => (
            <li key={tool.id}>
              <ToolLine tool={tool} />
            </li>
          ))}
        </ul>
        <Group justify="space-between" mt="md">
          <Anchor component={Link} to={`/integrations/${connection.id}`} size="sm">
            Integration settings
          </Anchor>
          {mayManage && <Remove connection={connection} configuration={configuration} />}
        </Group>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

const toolCount = (count: number) => (count === 0 ? 'No tools' : count === 1 ? '1 tool' : `${count} tools`);

const ToolLine = ({
  tool: { name, title, effect, isPendingReview, pausedAt },
}: {
  tool: Connection['tools'][number];
}) => (
  <Group justify="space-between" gap="sm">
    <Stack gap={0} miw={0}>
      {title && (
        <Text size="sm" fw={550}>
          <Untrusted text={title} />
        </Text>
      )}
      <Text size="xs" c="dimmed" ff="monospace">
        <Untrusted text={name} />
      </Text>
    </Stack>
    <Group gap={6}>
      {isPendingReview && <StateBadge state="waiting" label="Blocked" />}
      {pausedAt && <StateBadge state="paused" label="Paused" />}
      <EffectBadge effect={effect} />
    </Group>
  </Group>
);

function Remove({ connection, configuration: { id, revision, connections } }: Omit<IntegrationItemProps, 'mayManage'>) {
  const [isOpen, setOpen] = useState(false);
  const { send, problem, isSending, forget } = useChange(setIntegrations, {
    done: 'Integration removed from this configuration.',
  });
  const others = connections.filter((one) => one.id !== connection.id).map((one) => one.id);
  return (
    <>
      <Button variant="subtle" color="red" size="compact-sm" onClick={() => setOpen(true)}>
        Remove integration
      </Button>
      <Confirm
        opened={isOpen}
        onClose={() => {
          forget();
          setOpen(false);
        }}
        title="Remove integration?"
        verb="Remove integration"
        problem={problem}
        isSending={isSending}
        onConfirm={() => send({ input: { configurationId: id, revision, connectionIds: others } })}
      >
        Agents and assistants of this configuration lose access to <Untrusted text={connection.name} /> immediately.
        Policy rules that refer to it stay, but no longer match anything.
      </Confirm>
    </>
  );
}
