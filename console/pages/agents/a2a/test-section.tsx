import { Alert, Anchor, Button, Group, Stack, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { graphql } from '../../../api/graphql.ts';
import { useMe } from '../../../kit/me.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import type { Configuration } from '../configuration-query.ts';
import { TestTask } from './test-task.tsx';

const mutation = graphql(`
  mutation SubmitTask($input: SubmitTaskInput!) {
    submitTask(input: $input) {
      id
      externalId
    }
  }
`);

/** Sends a task in the name of the signed-in person, under the same policies and approvals as any other task. */
export function TestSection({ configuration: { id, groups } }: { configuration: Configuration }) {
  const { member } = useMe();
  const mayUse = groups.some((group) => member.groups.some((own) => own.id === group.id));
  return (
    <Section
      title="Test"
      lead="Send a task in your own name. It runs under the same policies, approvals, and audit logging as an agent’s task."
    >
      {mayUse ? <TestForm configurationId={id} /> : <NoAccess />}
    </Section>
  );
}

const NoAccess = () => (
  <Alert color="gray" title="None of your groups can use this configuration">
    Add one of your groups on the{' '}
    <Anchor component={Link} to="../overview" inherit>
      Overview
    </Anchor>{' '}
    tab, or ask an administrator to add you to one of its groups.
  </Alert>
);

function TestForm({ configurationId }: { configurationId: string }) {
  const [text, setText] = useState('');
  const [task, setTask] = useState<{ id: string; externalId: string } | null>(null);
  const { send, problem, isSending } = useChange(mutation, { onDone: ({ submitTask }) => setTask(submitTask) });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ input: { configurationId, text } });
  };
  const reply = async (text: string) =>
    (await send({ input: { configurationId, text, externalId: task!.externalId } })) !== null;
  return (
    <Stack>
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Textarea
            label="Task"
            placeholder="How many working days does the security check of new software take?"
            autosize
            minRows={2}
            maxRows={10}
            required
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
          <Group justify="flex-end">
            <Button
              type="submit"
              variant="light"
              leftSection={<IconSend size={16} aria-hidden />}
              loading={isSending}
              disabled={!text.trim()}
            >
              Send task
            </Button>
          </Group>
        </Stack>
      </form>
      {problem && <ProblemNote problem={problem} />}
      {task && <TestTask key={task.id} id={task.id} onReply={reply} />}
    </Stack>
  );
}
