import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconFolder, IconTools } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Connect } from './connect.tsx';
import { MadeConnections } from './made-connections.tsx';
import { useWelcome } from './progress.ts';

const kinds = [
  { id: 'folder', label: 'A folder of documents', what: 'Answers come from it, with their sources.', icon: IconFolder },
  {
    id: 'mcp',
    label: 'An MCP server',
    what: 'Its tools, resources and prompts, under your policies.',
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
      lead="What should your agents work with? More can follow at any time."
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
            A tool counts as one that writes, and asks a person, until you have confirmed on its integration’s page that
            it only reads.
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
          Or anything else of{' '}
          <Anchor component={Link} to="/integrations/new" underline="always">
            the catalogue
          </Anchor>
          ; come back here afterwards.
        </Text>
      </Stack>
    </Section>
  );
}
