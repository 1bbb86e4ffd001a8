import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconHandStop, IconMessageQuestion, IconPlayerPause } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { useMay, useMe } from '../../app/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { Facts } from '../../kit/facts.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Page } from '../../kit/page.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { inChain, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { Artifacts } from './artifacts.tsx';
import { hasEnded, sentenceCase, shownState } from './states.ts';
import { type TaskCaller, type TaskStatusDetail, type Task, taskQuery } from './task-query.ts';
import { TaskTimeline } from './timeline.tsx';

const cancelTask = graphql(`
  mutation CancelTask($input: CancelTaskInput!) {
    cancelTask(input: $input) {
      id
      state
    }
  }
`);

const retryTask = graphql(`
  mutation RetryQuarantinedTask($id: ID!) {
    retryQuarantinedTask(input: { id: $id }) {
      id
      state
      isQuarantined
    }
  }
`);

export function Component() {
  const { id } = useParams();
  const [result, refetch] = useQuery({ query: taskQuery, variables: { id: id! } });
  const refetchNow = () => refetch({ requestPolicy: 'network-only' });
  useNews('task', refetchNow, id);
  useNews(['call', 'approval'], refetchNow);
  return (
    <Loaded asked={result} again={refetch}>
      {({ task, approvals }) => (
        <Page
          title={`Task ${visible(task.externalId)}`}
          heading={
            <Group gap="sm">
              <Untrusted text={task.externalId} />
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
          <TaskDetails task={task} />
        </Page>
      )}
    </Loaded>
  );
}

const waitingTitles: Record<string, string> = {
  quarantine: 'A delegated task is quarantined',
  pause: 'Paused',
  information: 'Waiting for a reply from the caller',
  credentials: 'Waiting for credentials from the caller',
};

/** The requested input or the error, at the top of the page. */
function TaskStatus({ task: { status } }: { task: Task }) {
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

function QuarantineNotice({ task: { id, externalId } }: { task: Task }) {
  const may = useMay();
  const mayRetry = may('configurations:manage');
  const [isOpen, dialog] = useDisclosure();
  const retry = useChange(retryTask, { done: 'Retrying the task.', onDone: dialog.close });
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title="This task is quarantined"
      mb="lg"
    >
      <Text size="sm" mb={mayRetry ? 'sm' : 0}>
        Its current step stopped two server processes, so it is on hold. A reply to the task does not resume it.{' '}
        {mayRetry
          ? 'Ask the operator of the server for the cause, then retry or cancel the task.'
          : 'An administrator can retry it.'}
      </Text>
      {mayRetry && (
        <Button size="xs" variant="default" onClick={dialog.open}>
          Retry task
        </Button>
      )}
      <Confirm
        opened={isOpen}
        onClose={() => {
          retry.forget();
          dialog.close();
        }}
        title={`Retry task ${visible(externalId)}?`}
        verb="Retry task"
        problem={retry.problem}
        isSending={retry.isSending}
        onConfirm={() => void retry.send({ id })}
      >
        <Text size="sm">
          The task repeats the step that stopped two server processes. It may stop two more, which interrupts other
          people's requests for a moment; then it is quarantined again.
        </Text>
      </Confirm>
    </Alert>
  );
}

function TaskDetails({ task }: { task: Task }) {
  const may = useMay();
  const caller = task.caller as TaskCaller;
  const { kind, name, chain } = caller;
  const configuration = <Untrusted text={task.configurationName ?? 'Deleted configuration'} />;
  return (
    <Section title="About">
      <Facts
        facts={[
          [
            'Submitted by',
            <>
              {sentenceCase(kind)} <Untrusted text={name} />
              {chain.map((link) => (
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
              <Anchor component={Link} to={`/agents/capabilities/configurations/${task.configurationId}`} inherit>
                {configuration}
              </Anchor>
            ) : (
              configuration
            ),
          ],
          ['External content', task.isTainted ? 'Read. Policies can take this into account.' : 'None read'],
          ['Model turns', count(task.turns)],
          ['Submitted', <When key="created" at={task.createdAt} />],
          ['Last updated', <When key="change" at={task.timeline.at(-1)?.at} />],
          [
            'Audit log',
            may('audit:read') && (
              <Anchor component={Link} to={`/audit?subject=${task.id}`} inherit>
                View events
              </Anchor>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function CancelTask({ task }: { task: Task }) {
  const may = useMay();
  const { member } = useMe();
  const [isOpen, dialog] = useDisclosure();
  const { send, problem, isSending, forget } = useChange(cancelTask, { done: 'Task canceled.' });
  const { kind, memberId } = task.caller as TaskCaller;
  const isOwn = kind === 'member' && memberId === member.id;
  if (hasEnded(task.state) || (!isOwn && !may('configurations:manage'))) return null;
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Cancel task
      </Button>
      <Confirm
        opened={isOpen}
        onClose={() => {
          forget();
          dialog.close();
        }}
        title={`Cancel task ${visible(task.externalId)}?`}
        verb="Cancel task"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({ input: { id: task.id } }).then((done) => done && dialog.close())}
      >
        <Text size="sm">
          The task ends immediately and its pending approvals are withdrawn. Changes already made in connected systems
          are not undone.
        </Text>
      </Confirm>
    </>
  );
}
