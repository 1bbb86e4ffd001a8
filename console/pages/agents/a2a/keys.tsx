import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../../kit/me.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { AgentDialog } from '../agent-dialog.tsx';
import type { Agent, Configuration } from '../configuration-query.ts';
import '../lines.css';
import { isInactive, KeyRow } from './key-row.tsx';
import { GenerateKeyDialog } from './generate-key-dialog.tsx';
import { type Revealed, RevealedKeyDialog } from './revealed-key-dialog.tsx';

/** The API keys of each agent identity. A task belongs to the identity whose key sent it. */
export function Keys({ configuration: { id, agents } }: { configuration: Configuration }) {
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  return (
    <Section
      title="API keys"
      lead="Sent as “Authorization: Bearer …”. All keys of an identity share its tasks, so you can rotate keys without losing tasks."
    >
      {agents.length ? (
        <Stack gap="lg">
          {agents.map((agent) => (
            <AgentKeys key={agent.id} agent={agent} onRevealed={setRevealed} />
          ))}
        </Stack>
      ) : (
        <NoIdentity configurationId={id} />
      )}
      <RevealedKeyDialog revealed={revealed} onClose={() => setRevealed(null)} />
    </Section>
  );
}

function NoIdentity({ configurationId }: { configurationId: string }) {
  const mayManage = useMay()('configurations:manage');
  const [isAdding, adding] = useDisclosure();
  return (
    <>
      <Empty
        icon={IconKey}
        title="No agent identities yet"
        action={mayManage && <Button onClick={adding.open}>Add identity</Button>}
      >
        Agents authenticate with an API key of an identity. Add an identity, then generate a key.
      </Empty>
      <AgentDialog configurationId={configurationId} agent={isAdding ? 'new' : null} onClose={adding.close} />
    </>
  );
}

function AgentKeys({ agent, onRevealed }: { agent: Agent; onRevealed(revealed: Revealed): void }) {
  const mayManage = useMay()('keys:manage');
  const [isGenerating, setGenerating] = useState(false);
  const [showsInactive, setShowsInactive] = useState(false);
  const inactiveKeys = agent.keys.filter(isInactive);
  const keys = showsInactive ? agent.keys : agent.keys.filter((key) => !isInactive(key));
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Group gap="xs">
          <Title order={3}>
            <Untrusted text={agent.name} />
          </Title>
          {agent.pausedAt && <StateBadge state="paused" label="Paused" />}
        </Group>
        {mayManage && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            aria-label={`Generate key for ${visible(agent.name)}`}
            onClick={() => setGenerating(true)}
          >
            Generate key
          </Button>
        )}
      </Group>
      {keys.length > 0 ? (
        <ul className="lines" aria-label={`Keys of ${visible(agent.name)}`}>
          {keys.map((key) => (
            <li key={key.id}>
              <KeyRow agentKey={key} mayManage={mayManage} onRevealed={onRevealed} />
            </li>
          ))}
        </ul>
      ) : (
        <Text size="sm" c="dimmed">
          No active keys
        </Text>
      )}
      {inactiveKeys.length > 0 && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setShowsInactive(!showsInactive)}>
          {showsInactive ? 'Hide inactive keys' : `Show inactive keys (${inactiveKeys.length})`}
        </Button>
      )}
      <GenerateKeyDialog
        agent={agent}
        opened={isGenerating}
        onClose={() => setGenerating(false)}
        onRevealed={onRevealed}
      />
    </div>
  );
}
