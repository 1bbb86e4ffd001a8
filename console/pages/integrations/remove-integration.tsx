import { Box, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { Integration } from './integration-query.ts';

const remove = graphql(`
  mutation RemoveIntegration($id: ID!) {
    removeConnection(input: { id: $id }) {
      id
    }
  }
`);

export function RemoveIntegration({ of: { id, name } }: { of: Integration }) {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { send, problem, isSending, forget } = useChange(remove, {
    done: 'Integration removed. Its credentials are deleted.',
    onDone: () => void navigate('/integrations'),
  });
  return (
    <Box mt="xl">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" flex="1 1 16rem">
          Removing the integration deletes its credentials and synced content immediately. The audit log keeps its past
          calls.
        </Text>
        <Button variant="default" onClick={() => setOpen(true)}>
          Remove integration
        </Button>
      </Group>
      <Confirm
        opened={isOpen}
        onClose={() => {
          setOpen(false);
          forget();
        }}
        title="Remove integration?"
        verb="Remove integration"
        name={name}
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ id })}
      >
        <Text size="sm">
          Agents and assistants lose access to <Untrusted text={name} /> immediately. Its credentials and synced
          documents are deleted. You can't undo this.
        </Text>
      </Confirm>
    </Box>
  );
}
