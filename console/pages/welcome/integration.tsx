import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconFolder, IconTools } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { ConnectForm } from './connect-form.tsx';
import { ConnectionList } from './connection-list.tsx';
import { ConnectorButton } from './connector-button.tsx';
import { SampleDocuments } from './sample-documents.tsx';
import { isWorking, useSetup } from './setup-progress.ts';

const connectors = [
  {
    id: 'folder',
    label: 'Document folder',
    description: 'A folder on the server. Agents answer from its documents and cite them.',
    icon: IconFolder,
  },
  {
    id: 'mcp',
    label: 'MCP server',
    description: 'Agents use its tools, resources, and prompts under your policies.',
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
      lead="Choose what your agents work with. You can add and remove integrations later."
      actions={
        integrations.length > 0 && (
          <Button component={Link} to="/welcome/model" variant={integrations.some(isWorking) ? 'filled' : 'default'}>
            {integrations.every(({ status }) => status === 'failed') ? 'Skip for now' : 'Next'}
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
          {!integrations.some(({ kind }) => kind === 'sample') && <SampleDocuments onCreated={refetch} />}
          {connectors.map(({ id, ...connector }) => (
            <ConnectorButton key={id} {...connector} onClick={() => setKindId(id)} />
          ))}
        </Group>
        <Text size="sm">
          Or choose from{' '}
          <Anchor component={Link} to="/integrations/new" underline="always" inherit>
            all connectors
          </Anchor>
          . Setup continues here afterwards.
        </Text>
      </Stack>
    </Section>
  );
}
