import { Anchor, Button, Group, Stack, Text, Textarea, Timeline } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { When } from '../../../kit/when.tsx';
import { callStateName, taskStateName } from '../../../features/tasks/states.ts';

const query = graphql(`
  query LiveTask($id: ID!) {
    task(id: $id) {
      id
      state
      status
      artifacts
      timeline {
        at
        kind
        state
        text
        calls {
          ref
          tool
          outcome
          reason
        }
      }
    }
  }
`);

type Task = ResultOf<typeof query>['task'];
type Entry = Task['timeline'][number];

interface Props {
  id: string;
  /** Replies to a task that requires input. Resolves to false if the reply is rejected. */
  onReply(text: string): Promise<boolean>;
}

/** A running task: its states, its calls with their outcomes, and its result. */
export function TestTask({ id, onReply }: Props) {
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['task', 'call', 'approval'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ task }) => (
        <section aria-label="Test task">
          <Group justify="space-between" mb="sm">
            <div role="status">
              <StateBadge state={task.state.toLowerCase()} label={taskStateName(task.state)} />
            </div>
            <Anchor component={Link} to={`/tasks/${id}`} size="sm">
              View task
            </Anchor>
          </Group>
          <Timeline bulletSize={14} lineWidth={2}>
            {task.timeline.filter(hasContent).map((entry, at) => (
              <Timeline.Item key={at} title={<EntryTitle entry={entry} />}>
                <EntryBody entry={entry} />
              </Timeline.Item>
            ))}
          </Timeline>
          <InputRequest task={task} onReply={onReply} />
          <TaskResult artifacts={task.artifacts} />
        </section>
      )}
    </Loaded>
  );
}

/** The text of the last turn is shown as the result. */
const hasContent = ({ kind, text, calls }: Entry) => kind !== 'turn' || Boolean(text) || calls.length > 0;

const kinds: Record<string, string> = { message: 'You', turn: 'Agent', result: 'Call result' };

const EntryTitle = ({ entry: { kind, state, at } }: { entry: Entry }) => (
  <Group gap="xs">
    <Text size="sm" fw={550}>
      {kinds[kind] ?? (state && taskStateName(state))}
    </Text>
    <Text size="xs" c="dimmed">
      <When at={at} />
    </Text>
  </Group>
);

const EntryBody = ({ entry: { text, calls } }: { entry: Entry }) => (
  <Stack gap={2}>
    {text && (
      <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
        <Untrusted text={text} />
      </Text>
    )}
    {calls.map(({ ref, tool, outcome, reason }) => (
      <Group key={ref} gap="xs">
        {tool && (
          <Text size="sm">
            Calls{' '}
            <Text span ff="monospace" inherit>
              <Untrusted text={tool} />
            </Text>
          </Text>
        )}
        {outcome && <StateBadge state={outcome} label={callStateName(outcome)} />}
        {reason && (
          <Text size="sm" c="dimmed">
            <Untrusted text={reason} />
          </Text>
        )}
      </Group>
    ))}
  </Stack>
);

interface Status {
  metadata?: { reason?: string; approvalId?: string };
}

function InputRequest({ task: { state, status }, onReply }: { task: Task } & Pick<Props, 'onReply'>) {
  const { metadata } = status as Status;
  if (state !== 'INPUT_REQUIRED') return null;
  if (metadata?.reason === 'information' || metadata?.reason === 'credentials') return <ReplyForm onReply={onReply} />;
  if (!metadata?.approvalId) return null;
  return (
    <Text size="sm" mt="sm">
      Waiting for approval. The task continues after the decision.{' '}
      <Anchor component={Link} to={`/approvals/${metadata.approvalId}`} inherit>
        View approval
      </Anchor>
    </Text>
  );
}

function ReplyForm({ onReply }: Pick<Props, 'onReply'>) {
  const [text, setText] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onReply(text)) setText('');
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" mt="sm">
        <Textarea
          label="Reply"
          autosize
          required
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" variant="light" disabled={!text.trim()}>
            Send reply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Artifact {
  artifactId: string;
  parts: { text?: string; data?: unknown }[];
}

/** The text of the result. The task page also shows citations and receipts. */
function TaskResult({ artifacts }: { artifacts: unknown }) {
  const texts = ((artifacts ?? []) as Artifact[]).flatMap(({ artifactId, parts }) =>
    parts.flatMap(({ text }, at) => (text === undefined ? [] : [{ key: `${artifactId} ${at}`, text }])),
  );
  if (!texts.length) return null;
  return (
    <Stack gap="xs" mt="md" role="region" aria-label="Result">
      {texts.map(({ key, text }) => (
        <Text key={key} size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          <Untrusted text={text} />
        </Text>
      ))}
    </Stack>
  );
}
