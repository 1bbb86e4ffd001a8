import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconFolder, IconTools } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Connect } from './connect.tsx';
import { MadeConnections } from './made-connections.tsx';
import { useWelcome } from './progress.ts';

const kinds = [
  { id: 'folder', label: 'Document folder', what: 'Agents answer from its documents and cite them.', icon: IconFolder },
  {
    id: 'mcp',
    label: 'MCP server',
    what: 'Agents use its tools, resources, and prompts under your policies.',
    icon: IconTools,
  },
];

export function Component() {
  const { progress, again } = useWelcome();
  const [kindId, setKindId] = useState<string | null>(null);
  const { integrations } = progress;
  const made = () => {
    setKindId(null);
    again();
  };
  if (kindId)
    return (
      <Section title={kinds.find(({ id }) => id === kindId)!.label}>
        <Connect kindId={kindId} onMade={made} onCancel={() => setKindId(null)} />
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
        {integrations.length > 0 && <MadeConnections connections={integrations} />}
        {integrations.some(({ kind }) => kind === 'mcp') && (
          <Text size="sm" c="dimmed">
            Unreviewed tools require approval. To let agents call a read-only tool directly, review it on the
            integration’s page.
          </Text>
        )}
        <Group align="stretch">
          {kinds.map(({ id, label, what, icon: Picture }) => (
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
                  {what}
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
