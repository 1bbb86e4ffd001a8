import { Anchor, Group } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { shownState } from '../../features/tasks/states.ts';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

export type Task = HomeData['waiting']['nodes'][number];

const weekMs = 7 * 24 * 3600_000;

/** Tasks that require input, and tasks that failed in the last 7 days. */
export const tasksNeedingAttention = ({ waiting, failed }: HomeData): Task[] => [
  ...waiting.nodes,
  ...failed.nodes.filter(({ updatedAt }) => Date.now() - Date.parse(updatedAt) < weekMs),
];

export interface Status {
  timestamp?: string;
  message?: { parts?: { text?: string }[] };
}

/** The requested input or the error. A model may have written the text. */
const reasonOf = ({ status }: Task): string => (status as Status).message?.parts?.find(({ text }) => text)?.text ?? '';

/** Tasks without text, such as exact tool instructions, are listed by their id. */
export const TaskTitle = ({ task: { question, externalId } }: { task: Task }) => (
  <Untrusted text={question ?? `Task ${externalId}`} />
);

/** "Helper to Desk" */
export const TaskCaller = ({ task: { caller, configurationName } }: { task: Task }) => (
  <>
    <Untrusted text={(caller as { name: string }).name} /> to{' '}
    <Untrusted text={configurationName ?? 'a deleted configuration'} />
  </>
);

export function Tasks({ of: today }: { of: HomeData }) {
  const tasks = tasksNeedingAttention(today);
  if (!tasks.length) return null;
  return (
    <Section
      title="Tasks needing attention"
      actions={
        <Anchor component={Link} to="/tasks" size="sm">
          All tasks
        </Anchor>
      }
    >
      <Entries>
        {tasks.map((task) => (
          <Entry
            key={task.id}
            to={`/tasks/${task.id}`}
            title={<TaskTitle task={task} />}
            about={
              <>
                From <TaskCaller task={task} />
                {reasonOf(task) && (
                  <>
                    : <Untrusted text={reasonOf(task)} />
                  </>
                )}
              </>
            }
            aside={
              <Group gap="xs">
                <When at={(task.status as Status).timestamp} />
                <StateBadge {...shownState(task)} />
              </Group>
            }
          />
        ))}
      </Entries>
    </Section>
  );
}
