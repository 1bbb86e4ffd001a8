import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { graphql } from '../../api/graphql.ts';
import { useMay, useMe } from '../../kit/me.tsx';
import { Confirm } from '../../kit/confirm.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { hasEnded } from '../../features/tasks/states.ts';
import type { Task, TaskCaller } from './task-query.ts';

const cancelTask = graphql(`
  mutation CancelTask($input: CancelTaskInput!) {
    cancelTask(input: $input) {
      id
      state
    }
  }
`);

export function CancelTask({ task }: { task: Task }) {
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
