import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconFolder, IconTools } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { ConnectForm } from './connect-form.tsx';
import { ConnectionList } from './connection-list.tsx';
import { useSetup } from './setup-progress.ts';

const connectors = [
  { id: 'folder', label: 'Document folder', what: 'Agents answer from its documents and cite them.', icon: IconFolder },
  {
    id: 'mcp',
    label: 'MCP server',
    what: 'Agents use its tools, resources, and prompts under your policies.',
    icon: IconTools,
  },
];

export function Component() {
  const { progress, refetch } = useSetup();
  const [connectorId, setKindId] = useState<string | null>(null);
  const { integrations } = progress;
  const showConnections = () => {
    setKindId(null);
    refetch();
  };
  if (connectorId)
    return (
      <Section title={connectors.find(({ id }) => id === connectorId)!.label}>
        <ConnectForm connectorId={connectorId} onCreated={showConnections} onCancel={() => setKindId(null)} />
      </Section>
    );
  return (
    <Section
      title="First integration"
      lead="Choose what your agents work with. You can add more later."
      actions={
        integrations.length > 0 && (
          <Button component={Link} to="/welcome/model">
            Next
          </Button>
        )
      }
    >
      <Stack>
        {integrations.length > 0 && <ConnectionList connections={integrations} />}
        {integrations.some(({ kind }) => kind === 'mcp') && (
          <Text size="sm" c="dimmed">
            Unreviewed tools require approval. To let agents call a read-only tool directly, review it on the
            integration’s page.
          </Text>
        )}
        <Group align="stretch">
          {connectors.map(({ id, label, what: description, icon: Picture }) => (
            <Button
              key={id}
              variant="default"
              h="auto"
              py="sm"
              justify="flex-start"
              flex="1 1 15rem"
              leftSection={<Picture size={22} stroke={1.6} aria-hidden />}
              onClick={() => setKindId(id)}
            >
              <Stack gap={0} align="flex-start">
                <span>{label}</span>
                <Text size="xs" c="dimmed" fw={400} style={{ whiteSpace: 'normal' }} ta="start">
                  {description}
                </Text>
              </Stack>
            </Button>
          ))}
        </Group>
        <Text size="sm">
          Or choose from{' '}
          <Anchor component={Link} to="/integrations/new" underline="always">
            all connectors
          </Anchor>
          . Setup continues here afterwards.
        </Text>
      </Stack>
    </Section>
  );
}
