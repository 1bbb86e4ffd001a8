import { ActionIcon, Anchor, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { AgentDialog } from './agent-dialog.tsx';
import type { Agent, Configuration } from './configuration-query.ts';
import './lines.css';

/** Agent identities and their responsible members. The A2A tab manages their keys. */
export function Agents({ of: { id, agents } }: { of: Configuration }) {
  const mayManage = useMay()('configurations:manage');
  const [edited, edit] = useState<Agent | 'new' | null>(null);
  return (
    <Section
      title="Agent identities"
      lead="External agents that send tasks. The responsible member can't approve the agent's requests. Manage keys on the A2A tab."
      actions={
        mayManage && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => edit('new')}
          >
            Add identity
          </Button>
        )
      }
    >
      {agents.length > 0 ? (
        <ul className="lines">
          {agents.map((agent) => (
            <li key={agent.id}>
              <AgentLine agent={agent} onEdit={mayManage ? () => edit(agent) : undefined} />
            </li>
          ))}
        </ul>
      ) : (
        <Text size="sm" c="dimmed">
          No agent identities yet. To send tasks, an agent needs a key:{' '}
          <Anchor component={Link} to="../a2a" relative="path" inherit>
            generate one on the A2A tab
          </Anchor>
          . The first key also creates an identity.
        </Text>
      )}
      <AgentDialog configurationId={id} agent={edited} onClose={() => edit(null)} />
    </Section>
  );
}

function AgentLine({ agent, onEdit }: { agent: Agent; onEdit?: () => void }) {
  const { name, pausedAt, responsibleMember } = agent;
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            <Untrusted text={name} />
          </Text>
          {pausedAt && <StateBadge state="paused" label="Paused" />}
          {responsibleMember.status !== 'active' && <StateBadge state="suspended" label="No responsible member" />}
        </Group>
        <Text size="sm" c="dimmed">
          Responsible: <Untrusted text={responsibleMember.name} />
        </Text>
      </Stack>
      {onEdit && <AgentMenu agent={agent} onEdit={onEdit} />}
    </Group>
  );
}

const pause = graphql(`
  mutation PauseAgent($id: ID!) {
    pauseAgent(input: { agentId: $id }) {
      id
      pausedAt
    }
  }
`);
const resume = graphql(`
  mutation ResumeAgent($id: ID!) {
    resumeAgent(input: { agentId: $id }) {
      id
      pausedAt
    }
  }
`);

function AgentMenu({ agent: { id, name, pausedAt }, onEdit }: { agent: Agent; onEdit(): void }) {
  const pausing = useChange(pause, {
    done: 'Identity paused. Its keys are refused, and its tasks wait.',
    isLoud: true,
  });
  const resuming = useChange(resume, { done: 'Identity resumed.', isLoud: true });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${visible(name)}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={onEdit}>Edit identity</Menu.Item>
        {pausedAt ? (
          <Menu.Item onClick={() => resuming.send({ id })}>Resume identity</Menu.Item>
        ) : (
          <Menu.Item onClick={() => pausing.send({ id })}>Pause identity</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
