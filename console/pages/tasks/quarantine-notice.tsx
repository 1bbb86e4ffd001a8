import { Alert, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Task } from './task-query.ts';

const retryTask = graphql(`
  mutation RetryQuarantinedTask($id: ID!) {
    retryQuarantinedTask(input: { id: $id }) {
      id
      state
      isQuarantined
    }
  }
`);

export function QuarantineNotice({ task: { id, externalId } }: { task: Task }) {
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
