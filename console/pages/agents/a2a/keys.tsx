import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../../kit/me.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { AgentDialog } from '../agent-dialog.tsx';
import type { Agent, Configuration } from '../configuration-query.ts';
import '../lines.css';
import { GenerateKeyDialog } from './generate-key-dialog.tsx';
import { KeyRow } from './key-row.tsx';
import { isInactive, type ShownKey } from './shown-key.ts';

interface Props {
  configuration: Configuration;
  onShown(key: ShownKey): void;
}

/** The API keys of each agent identity. A task belongs to the identity whose key sent it. */
export function Keys({ configuration: { id, agents }, onShown }: Props) {
  const mayAdd = useMay()('configurations:manage');
  const [isAdding, adding] = useDisclosure();
  return (
    <Section
      title="Identities and keys"
      lead="Sent as “Authorization: Bearer …”. All keys of an identity share its tasks, so you can rotate keys without losing tasks."
      actions={
        mayAdd && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}

            onClick={adding.open}
          >
            Add identity
          </Button>
        )
      }
    >
      {agents.length ? (
        <Stack gap="lg">
          {agents.map((agent) => (
            <AgentKeys key={agent.id} agent={agent} onShown={onShown} />
          ))}
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          No agent identities yet. The first key creates one; add more to tell agents apart.
        </Text>
      )}
      <AgentDialog configurationId={id} agent={isAdding ? 'new' : null} onClose={adding.close} />
    </Section>
  );
}

function AgentKeys({ agent, onShown }: { agent: Agent } & Pick<Props, 'onShown'>) {
  const mayManage = useMay()('keys:manage');
  const [isGenerating, setGenerating] = useState(false);
  const [showsInactive, setShowsInactive] = useState(false);
  const [revokedId, setRevokedId] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const isRevokedGone = agent.keys.some(({ id, revokedAt }) => id === revokedId && revokedAt);
  useEffect(() => {
    // its menu, which had the focus, is gone
    if (isRevokedGone) heading.current?.focus();
  }, [isRevokedGone]);
  const inactiveKeys = agent.keys.filter(isInactive);
  const keys = showsInactive ? agent.keys : agent.keys.filter((key) => !isInactive(key));
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Group gap="xs">
          <Title order={3} ref={heading} tabIndex={-1}>
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
              <KeyRow agentKey={key} mayManage={mayManage} onShown={onShown} onRevoked={() => setRevokedId(key.id)} />
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
      <GenerateKeyDialog agent={agent} opened={isGenerating} onClose={() => setGenerating(false)} onShown={onShown} />
    </div>
  );
}
