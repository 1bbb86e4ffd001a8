import { ActionIcon, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';
import type { A2aKey } from '../configuration-query.ts';
import { revealA2aKey } from './create-key.ts';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { isInactive, type ShownKey } from './shown-key.ts';

interface Props {
  agentKey: A2aKey;
  mayManage: boolean;
  onShown(key: ShownKey): void;
  onRevoked(): void;
}

export const KeyRow = ({ agentKey, mayManage, ...on }: Props) => (
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
            , {isInactive(agentKey) ? 'expired' : 'expires'} <When at={agentKey.expiresAt} />
          </>
        )}
      </Text>
    </Stack>
    {mayManage && !isInactive(agentKey) && <KeyMenu agentKey={agentKey} {...on} />}
  </Group>
);

function stateOf(key: A2aKey): { state: string; label: string } {
  if (key.revokedAt) return { state: 'revoked', label: 'Revoked' };
  if (isInactive(key)) return { state: 'expired', label: 'Expired' };
  if (key.pausedAt) return { state: 'paused', label: 'Paused' };
  return key.replacedAt ? { state: 'waiting', label: 'Rotated, still active' } : { state: 'active', label: 'Active' };
}

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

function KeyMenu({ agentKey: { id, hint, pausedAt, replacedAt }, onShown, onRevoked }: Omit<Props, 'mayManage'>) {
  const [dialog, openDialog] = useState<'rotate' | 'revoke' | null>(null);
  const revealing = useChange(revealA2aKey, {
    onDone: ({ revealA2aKey: { key } }) => onShown({ id, key }),
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
          {!replacedAt && <Menu.Item onClick={() => openDialog('rotate')}>Rotate key</Menu.Item>}
          {pausedAt ? (
            <Menu.Item onClick={() => resuming.send({ id })}>Resume key</Menu.Item>
          ) : (
            <Menu.Item onClick={() => pausing.send({ id })}>Pause key</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" onClick={() => openDialog('revoke')}>
            Revoke key
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RotateKeyDialog
        id={id}
        hint={hint}
        opened={dialog === 'rotate'}
        onClose={() => openDialog(null)}
        onShown={onShown}
      />
      <RevokeKeyDialog
        id={id}
        hint={hint}
        opened={dialog === 'revoke'}
        onClose={() => openDialog(null)}
        onRevoked={onRevoked}
      />
    </>
  );
}
