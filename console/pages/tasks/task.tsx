import { Anchor, Group, Stack } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { useMay } from '../../kit/me.tsx';
import { Facts } from '../../kit/facts.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { chainBehind, inChain, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { Artifacts } from './artifacts.tsx';
import { CancelTask } from './cancel-task.tsx';
import { QuarantineNotice } from './quarantine-notice.tsx';
import { TaskGrantCard } from '../../features/approvals/task-grant-card.tsx';
import { sentenceCase, shownState } from '../../features/tasks/states.ts';
import { type Task, type TaskCaller, taskQuery } from './task-query.ts';
import { TaskStatus } from './task-status.tsx';
import { TaskTimeline } from './timeline.tsx';

export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: taskQuery, variables: { id: id! } });
  const refetchNow = () => refetch({ requestPolicy: 'network-only' });
  useChangeEvents('task', refetchNow, id);
  useChangeEvents(['call', 'approval'], refetchNow);
  return (
    <Loaded result={result} refetch={refetch}>
      {({ task, approvals }) => (
        <Page
          title={`Task ${visible(task.externalId)}`}
          heading={
            <Group gap="sm">
              <Untrusted text={task.question ?? task.externalId} />
              <StateBadge {...shownState(task)} />
            </Group>
          }
          trail={[['Tasks', '/tasks']]}
          actions={<CancelTask task={task} />}
        >
          {task.isQuarantined ? <QuarantineNotice task={task} /> : <TaskStatus task={task} />}
          {task.artifacts != null && <Artifacts artifacts={task.artifacts} />}
          <Section title="Activity">
            <TaskTimeline task={task} approvals={approvals.nodes} />
          </Section>
          {task.taskGrants.length > 0 && (
            <Section title="Further calls" lead="Approvers allowed these calls without an approval of their own.">
              <Stack>
                {task.taskGrants.map((grant) => (
                  <TaskGrantCard key={grant.id} grant={grant} />
                ))}
              </Stack>
            </Section>
          )}
          <TaskDetails task={task} />
        </Page>
      )}
    </Loaded>
  );
}

function TaskDetails({ task }: { task: Task }) {
  const may = useMay();
  const caller = task.caller as TaskCaller;
  const { kind, name } = caller;
  const configuration = <Untrusted text={task.configurationName ?? 'Deleted configuration'} />;
  return (
    <Section title="About">
      <Facts
        facts={[
          [
            'Submitted by',
            <>
              {sentenceCase(kind)} <Untrusted text={name} />
              {chainBehind(caller).map((link) => (
                <span key={link.id}>
                  , {inChain(link.kind)} <Untrusted text={link.name} />
                </span>
              ))}
              , via {surfaceOf(caller)}
            </>,
          ],
          [
            'Configuration',
            may('configurations:manage') ? (
              <Anchor component={Link} to={`/agents/capabilities/configurations/${task.configurationId}`} size="sm">
                {configuration}
              </Anchor>
            ) : (
              configuration
            ),
          ],
          ['Task ID', <CopyText key="id" value={task.externalId} what="task ID" />],
          ['External content', task.isTainted ? 'Read. Policies can take this into account.' : 'None read'],
          ['Model turns', count(task.turns)],
          ['Submitted', <When key="created" at={task.createdAt} />],
          ['Last updated', <When key="change" at={task.timeline.at(-1)?.at} />],
          [
            'Audit log',
            may('audit:read') && (
              <Anchor component={Link} to={`/audit?subject=${task.id}`} size="sm">
                View events
              </Anchor>
            ),
          ],
        ]}
      />
    </Section>
  );
}
