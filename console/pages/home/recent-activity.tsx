import { Anchor, Group } from '@mantine/core';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { approvalStateName, shownState } from '../../features/tasks/states.ts';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';
import { type Status, type Task, TaskCaller, TaskTitle } from './tasks.tsx';

type Decided = HomeData['decided']['nodes'][number];
type Activity = { at: string } & ({ task: Task; approval?: undefined } | { approval: Decided; task?: undefined });

const shownCount = 8;

/** The newest tasks and decisions that this person may see, newest first. */
const activitiesOf = ({ recent, decided }: HomeData): Activity[] =>
  [
    ...recent.nodes.map((task): Activity => ({ at: (task.status as Status).timestamp ?? task.updatedAt, task })),
    ...decided.nodes.map((approval): Activity => ({ at: approval.decidedAt ?? approval.createdAt, approval })),
  ]
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, shownCount);

export function RecentActivity({ of: today }: { of: HomeData }) {
  const activities = activitiesOf(today);
  if (!activities.length) return null;
  return (
    <Section
      title="Recent activity"
      actions={
        <Anchor component={Link} to="/tasks" size="sm">
          View tasks
        </Anchor>
      }
    >
      <Entries>
        {activities.map(({ at, task, approval }) =>
          task ? (
            <Entry
              key={task.id}
              to={`/tasks/${task.id}`}
              title={<TaskTitle task={task} />}
              about={
                <>
                  Task from <TaskCaller task={task} />
                </>
              }
              aside={<State at={at} {...shownState(task)} />}
            />
          ) : (
            <Entry
              key={approval.id}
              to={`/approvals/${approval.id}?show=decided`}
              title={<Untrusted text={approval.call.title || approval.tool} />}
              about={<DecisionText approval={approval} />}
              aside={<State at={at} state={approval.state} label={approvalStateName(approval.state)} />}
            />
          ),
        )}
      </Entries>
    </Section>
  );
}

const DecisionText = ({ approval: { decider, call } }: { approval: Decided }) => (
  <>
    Requested by <Untrusted text={(call.caller as { name: string }).name} />
    {decider && (
      <>
        , decided by <Untrusted text={decider.name ?? 'a former member'} />
      </>
    )}
  </>
);

const State = ({ at, state, label }: { at: string; state: string; label: string }) => (
  <Group gap="xs">
    <When at={at} />
    <StateBadge state={state} label={label} />
  </Group>
);
