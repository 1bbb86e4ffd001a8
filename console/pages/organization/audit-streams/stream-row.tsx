import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { count } from '../../../kit/figures.ts';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { type Stream, streamKindNames } from './streams-query.ts';

const setPaused = graphql(`
  mutation SetAuditStreamPaused($input: SetAuditStreamPausedInput!) {
    setAuditStreamPaused(input: $input) {
      id
    }
  }
`);
const retry = graphql(`
  mutation RetryAuditStream($input: AuditStreamInput!) {
    retryAuditStream(input: $input) {
      id
    }
  }
`);
const skip = graphql(`
  mutation SkipAuditStreamEvent($input: AuditStreamInput!) {
    skipAuditStreamEvent(input: $input) {
      id
    }
  }
`);
const remove = graphql(`
  mutation RemoveAuditStream($input: AuditStreamInput!) {
    removeAuditStream(input: $input) {
      id
    }
  }
`);

const stateOf = ({ pausedAt, lastError }: Stream) => (pausedAt ? 'paused' : lastError === null ? 'active' : 'failed');

/** One stream: its state, what waits, and the last error. */
export function StreamRow({ stream, onChanged }: { stream: Stream; onChanged(): void }) {
  const { id, name, kind, target, backlog } = stream;
  const isPaused = stream.pausedAt !== null;
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="sm">
      <div style={{ flex: 1, minWidth: '16rem' }}>
        <Group gap="xs">
          <Text size="sm" fw={500}>
            <Untrusted text={name} />
          </Text>
          <StateBadge state={stateOf(stream)} />
        </Group>
        <Text size="xs" c="dimmed">
          {streamKindNames[kind]}, <Untrusted text={target} />
        </Text>
        <Text size="xs" c="dimmed">
          {stream.sentCount === 0 ? (
            'No events sent yet.'
          ) : (
            <>
              {count(stream.sentCount)} events sent, most recently <When at={stream.lastSentAt} />.
            </>
          )}{' '}
          {backlog.count > 0 ? (
            <>
              {count(backlog.count)} waiting, the oldest from <When at={backlog.since} />.
            </>
          ) : (
            'Nothing is waiting.'
          )}
          {stream.skippedCount > 0 && ` Retention removed ${count(stream.skippedCount)} before they were sent.`}
          {stream.rejectedCount > 0 && ` ${count(stream.rejectedCount)} rejected and skipped.`}
        </Text>
        {stream.lastError !== null && (
          <Text size="xs" c="red">
            Attempt {count(stream.attempts)} failed <When at={stream.lastErrorAt} />:{' '}
            <Untrusted text={stream.lastError} />
            {stream.stoppedAt !== null && ' The receiver rejects the next event: skip it, or try again.'}
            {!isPaused && stream.stoppedAt === null && (
              <>
                {' '}
                Next attempt: <When at={stream.nextAttemptAt} />.
              </>
            )}
          </Text>
        )}
      </div>
      <Group gap="xs">
        {stream.lastError !== null && !isPaused && <RetryButton id={id} name={name} onChanged={onChanged} />}
        {stream.stoppedAt !== null && <SkipButton id={id} name={name} onChanged={onChanged} />}
        <PauseButton id={id} name={name} isPaused={isPaused} onChanged={onChanged} />
        <RemoveButton id={id} name={name} onChanged={onChanged} />
      </Group>
    </Group>
  );
}

interface ButtonProps {
  id: string;
  name: string;
  onChanged(): void;
}

function RetryButton({ id, name, onChanged }: ButtonProps) {
  const { send, isSending } = useChange(retry, { done: 'Trying again.', isLoud: true, onDone: onChanged });
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={isSending}
      aria-label={`Try stream ${visible(name)} again`}
      onClick={() => void send({ input: { id } })}
    >
      Try again
    </Button>
  );
}

function PauseButton({ id, name, isPaused, onChanged }: ButtonProps & { isPaused: boolean }) {
  const done = isPaused ? 'Stream resumed.' : 'Stream paused.';
  const { send, isSending } = useChange(setPaused, { done, isLoud: true, onDone: onChanged });
  const verb = isPaused ? 'Resume' : 'Pause';
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={isSending}
      aria-label={`${verb} stream ${visible(name)}`}
      onClick={() => void send({ input: { id, isPaused: !isPaused } })}
    >
      {verb}
    </Button>
  );
}

function SkipButton({ id, name, onChanged }: ButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { send, problem, isSending } = useChange(skip, { done: 'Event skipped.', onDone: onChanged });
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Skip this event of stream ${visible(name)}`}
        onClick={() => setConfirming(true)}
      >
        Skip this event
      </Button>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Skip this event?"
        verb="Skip this event"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ input: { id } })}
      >
        <Text size="sm">
          <Untrusted text={name} /> does not receive this event. It stays in the audit log.
        </Text>
      </Confirm>
    </>
  );
}

function RemoveButton({ id, name, onChanged }: ButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { send, problem, isSending } = useChange(remove, { done: 'Stream removed.', onDone: onChanged });
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Remove stream ${visible(name)}`}
        onClick={() => setConfirming(true)}
      >
        Remove
      </Button>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Remove stream?"
        verb="Remove stream"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ input: { id } })}
      >
        <Text size="sm">
          <Untrusted text={name} /> receives no more events. Its position in the audit log is lost.
        </Text>
      </Confirm>
    </>
  );
}
