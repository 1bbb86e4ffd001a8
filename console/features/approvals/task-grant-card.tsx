import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { graphql } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { type TaskGrant, taskGrantStateNames, taskGrantTerms } from './task-grant.ts';

const mutation = graphql(`
  mutation RevokeTaskGrant($id: ID!) {
    revokeTaskGrant(id: $id) {
      id
      state
      endReason
      viewerCanRevoke
    }
  }
`);

/** Further calls of a tool that approvers allowed in a task, or that one of them proposed. */
export function TaskGrantCard({ grant }: { grant: TaskGrant }) {
  const { id, tool, state, uses, maxUses, expiresAt, endReason, approvedBy, viewerCanRevoke } = grant;
  const [isOpen, { open, close }] = useDisclosure();
  const { send, problem, isSending } = useChange(mutation, { done: 'Task grant revoked.', onDone: close });
  const names = approvedBy.map(({ name }) => visible(name ?? 'Former member'));
  return (
    <Stack gap={4}>
      <Group gap="sm" justify="space-between">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            <Untrusted text={tool} />
          </Text>
          <StateBadge state={state} label={taskGrantStateNames[state]} />
        </Group>
        {viewerCanRevoke && (
          <Button size="compact-sm" variant="default" onClick={open}>
            Revoke
          </Button>
        )}
      </Group>
      <Confirm
        opened={isOpen}
        onClose={close}
        title="Revoke task grant?"
        verb="Revoke task grant"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ id })}
      >
        <Text size="sm">
          Further calls of <Untrusted text={tool} /> in this task need their own approval again.
        </Text>
      </Confirm>
      <Text size="sm">{taskGrantTerms(grant)}</Text>
      <Text size="sm" c="dimmed">
        {uses} of {maxUses} used. Approved by {new Intl.ListFormat('en').format(names)}.
        {state === 'active' && (
          <>
            {' '}
            Expires <When at={expiresAt} />.
          </>
        )}
        {endReason && (
          <>
            {' '}
            <Untrusted text={endReason} />
          </>
        )}
      </Text>
    </Stack>
  );
}
