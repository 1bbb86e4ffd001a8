import { Group, Stack, Text, Timeline } from '@mantine/core';
import { IconFlag, IconMessage, IconRobot } from '@tabler/icons-react';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { CallCard } from './call-card.tsx';
import { taskStateName } from '../../features/tasks/states.ts';
import type { Call, TimelineEntry, Task, TaskApproval } from './task-query.ts';
import './timeline.css';

interface Props {
  task: Task;
  approvals: readonly TaskApproval[];
}

/** Messages, turns with their calls, and state changes, in order. */
export function TaskTimeline({ task: { timeline, calls }, approvals }: Props) {
  const callsByRef = new Map(calls.flatMap((call) => call.refs.map((ref): [string, Call] => [ref, call])));
  const shown = timeline.filter(hasContent);
  return (
    <Timeline bulletSize={26} lineWidth={2} className="task-timeline">
      {shown.map((entry, at) => (
        <Timeline.Item key={at} bullet={<Bullet kind={entry.kind} />} title={<EntryHeader entry={entry} />}>
          {entry.text && entry.kind !== 'state' && (
            <Text size="sm" className="task-words">
              <Untrusted text={entry.text} />
            </Text>
          )}
          {entry.kind === 'turn' && entry.calls.length > 0 && (
            <Stack gap="xs" mt={6}>
              {entry.calls.map(({ ref, tool }) => (
                <CallCard key={ref} tool={tool ?? ''} call={callsByRef.get(ref)} approvals={approvals} />
              ))}
            </Stack>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

/** Results are shown with their calls. An empty last turn is implied by the state that follows it. */
const hasContent = ({ kind, text, calls }: TimelineEntry): boolean =>
  kind === 'turn' ? Boolean(text) || calls.length > 0 : kind !== 'result';

function EntryHeader({ entry: { kind, state, at } }: { entry: TimelineEntry }) {
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
      {kind === 'state' && state ? (
        <StateBadge state={state.toLowerCase()} label={taskStateName(state)} />
      ) : (
        <Text size="sm" fw={600}>
          {kind === 'message' ? 'Caller' : 'Model'}
        </Text>
      )}
      <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
        <When at={at} />
      </Text>
    </Group>
  );
}

const Bullet = ({ kind }: { kind: string }) => {
  if (kind === 'message') return <IconMessage size={14} aria-hidden />;
  return kind === 'turn' ? <IconRobot size={14} aria-hidden /> : <IconFlag size={14} aria-hidden />;
};
