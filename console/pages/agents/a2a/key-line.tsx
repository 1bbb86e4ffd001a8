import { ActionIcon, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import type { Key } from '../configuration-query.ts';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import type { Shown } from './shown-key.tsx';

interface Props {
  agentKey: Key;
  mayManage: boolean;
  onShown(shown: Shown): void;
}

export const KeyLine = ({ agentKey, mayManage, onShown }: Props) => (
  <Group justify="space-between" wrap="nowrap" gap="sm">
    <Stack gap={2} miw={0}>
      <Group gap="xs">
        <Text size="sm" ff="monospace">
          {agentKey.hint}
        </Text>
        <StateBadge {...stateOf(agentKey)} />
      </Group>
      <Text size="xs" c="dimmed" component="div">
        Created <When at={agentKey.createdAt} />, last used <When at={agentKey.usedAt} never="never" />
        {agentKey.expiresAt && !agentKey.revokedAt && (
          <>
            , {isPast(agentKey.expiresAt) ? 'expired' : 'expires'} <When at={agentKey.expiresAt} />
          </>
        )}
      </Text>
    </Stack>
    {mayManage && !isOver(agentKey) && <KeyMenu agentKey={agentKey} onShown={onShown} />}
  </Group>
);

const isPast = (at: string) => Date.parse(at) <= Date.now();
/** Revoked or expired. */
export const isOver = ({ revokedAt, expiresAt }: Key): boolean =>
  revokedAt !== null || (expiresAt !== null && isPast(expiresAt));

function stateOf(key: Key): { state: string; label: string } {
  if (key.revokedAt) return { state: 'revoked', label: 'Revoked' };
  if (isOver(key)) return { state: 'expired', label: 'Expired' };
  if (key.pausedAt) return { state: 'paused', label: 'Paused' };
  return key.replacedAt ? { state: 'waiting', label: 'Rotated, still active' } : { state: 'active', label: 'Active' };
}

const reveal = graphql(`
  mutation RevealA2aKey($id: ID!) {
    revealA2aKey(input: { a2aKeyId: $id }) {
      key
    }
  }
`);
const pause = graphql(`
  mutation PauseA2aKey($id: ID!) {
    pauseA2aKey(input: { a2aKeyId: $id }) {
      id
      pausedAt
    }
  }
`);
const resume = graphql(`
  mutation ResumeA2aKey($id: ID!) {
    resumeA2aKey(input: { a2aKeyId: $id }) {
      id
      pausedAt
    }
  }
`);

function KeyMenu({ agentKey: { id, hint, pausedAt, replacedAt }, onShown }: Omit<Props, 'mayManage'>) {
  const [asked, ask] = useState<'rotate' | 'revoke' | null>(null);
  const revealing = useChange(reveal, {
    onDone: ({ revealA2aKey: { key } }) => onShown({ key, title: 'API key' }),
    isLoud: true,
  });
  const pausing = useChange(pause, {
    done: 'Key paused. Requests with it are refused, and its tasks wait.',
    isLoud: true,
  });
  const resuming = useChange(resume, { done: 'Key resumed.', isLoud: true });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for key ${hint}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => revealing.send({ id })}>Show key</Menu.Item>
          {!replacedAt && <Menu.Item onClick={() => ask('rotate')}>Rotate key</Menu.Item>}
          {pausedAt ? (
            <Menu.Item onClick={() => resuming.send({ id })}>Resume key</Menu.Item>
          ) : (
            <Menu.Item onClick={() => pausing.send({ id })}>Pause key</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => ask('revoke')}>
            Revoke key
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RotateKey id={id} hint={hint} opened={asked === 'rotate'} onClose={() => ask(null)} onShown={onShown} />
      <RevokeKey id={id} hint={hint} opened={asked === 'revoke'} onClose={() => ask(null)} />
    </>
  );
}
