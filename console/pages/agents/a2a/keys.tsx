import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../../app/me.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { Section } from '../../../kit/section.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import { AgentDialog } from '../agent-dialog.tsx';
import type { Agent, Configuration } from '../configuration-query.ts';
import '../lines.css';
import { isOver, KeyLine } from './key-line.tsx';
import { NewKey } from './new-key.tsx';
import { type Shown, ShownKey } from './shown-key.tsx';

/** The API keys of each agent identity. A task belongs to the identity whose key sent it. */
export function Keys({ configuration: { id, agents } }: { configuration: Configuration }) {
  const [shown, show] = useState<Shown | null>(null);
  return (
    <Section
      title="API keys"
      lead="Sent as “Authorization: Bearer …”. All keys of an identity share its tasks, so you can rotate keys without losing tasks."
    >
      {agents.length ? (
        <Stack gap="lg">
          {agents.map((agent) => (
            <OfAgent key={agent.id} agent={agent} onShown={show} />
          ))}
        </Stack>
      ) : (
        <NoIdentity configurationId={id} />
      )}
      <ShownKey shown={shown} onClose={() => show(null)} />
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

function OfAgent({ agent, onShown }: { agent: Agent; onShown(shown: Shown): void }) {
  const mayManage = useMay()('keys:manage');
  const [isMaking, make] = useState(false);
  const [showsOld, showOld] = useState(false);
  const old = agent.keys.filter(isOver);
  const keys = showsOld ? agent.keys : agent.keys.filter((key) => !isOver(key));
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
            onClick={() => make(true)}
          >
            Generate key
          </Button>
        )}
      </Group>
      {keys.length > 0 ? (
        <ul className="lines" aria-label={`Keys of ${visible(agent.name)}`}>
          {keys.map((key) => (
            <li key={key.id}>
              <KeyLine agentKey={key} mayManage={mayManage} onShown={onShown} />
            </li>
          ))}
        </ul>
      ) : (
        <Text size="sm" c="dimmed">
          No active keys.
        </Text>
      )}
      {old.length > 0 && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => showOld(!showsOld)}>
          {showsOld ? 'Hide inactive keys' : `Show inactive keys (${old.length})`}
        </Button>
      )}
      <NewKey agent={agent} opened={isMaking} onClose={() => make(false)} onShown={onShown} />
    </div>
  );
}
