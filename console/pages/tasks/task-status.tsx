import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconHandStop, IconMessageQuestion, IconPlayerPause } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import type { Task, TaskStatusDetail } from './task-query.ts';

const waitingTitles: Record<string, string> = {
  quarantine: 'A delegated task is quarantined',
  pause: 'Paused',
  information: 'Waiting for a reply from the caller',
  credentials: 'Waiting for credentials from the caller',
};

/** The requested input or the error, at the top of the page. */
export function TaskStatus({ task: { status } }: { task: Task }) {
  const { error, metadata, message } = status as TaskStatusDetail;
  const text = message?.parts.map(({ text }) => text ?? '').join('\n');
  if (error)
    return (
      <Alert color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title="Task failed" mb="lg">
        <Text size="sm">
          <Untrusted text={error.detail} />
        </Text>
        <Text size="sm">
          Code{' '}
          <Anchor href={`/problems/${error.code}`} target="_blank" inherit>
            {error.code}
          </Anchor>
        </Text>
      </Alert>
    );
  if (metadata?.reason === 'approval')
    return (
      <Alert color="yellow" variant="light" icon={<IconHandStop aria-hidden />} title="Waiting for approval" mb="lg">
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            <Untrusted text={metadata.tool ?? 'A call'} /> expires <When at={metadata.expiresAt} />. The task continues
            after the decision.
          </Text>
          <Button component={Link} to={`/approvals/${metadata.approvalId}`} size="compact-sm" variant="default">
            View approval
          </Button>
        </Group>
      </Alert>
    );
  if (metadata?.reason)
    return (
      <Alert
        color="yellow"
        variant="light"
        icon={metadata.reason === 'pause' ? <IconPlayerPause aria-hidden /> : <IconMessageQuestion aria-hidden />}
        title={waitingTitles[metadata.reason] ?? 'Waiting'}
        mb="lg"
      >
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          <Untrusted text={text ?? ''} />
        </Text>
      </Alert>
    );
  return null;
}
