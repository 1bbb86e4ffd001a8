import { Anchor, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { SecretOnce, Snippet } from '../../kit/copy.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { taskStateName } from '../../features/tasks/states.ts';
import { firstTaskCommand } from './first-task-command.ts';
import { FirstKey } from './first-key.tsx';
import { type SetupConfiguration, type SetupProgress, useSetup } from './setup-progress.ts';

export function Component() {
  const { progress } = useSetup();
  const { configuration } = progress;
  if (!configuration)
    return (
      <Section title="First task">
        <Text size="sm">
          Agents send tasks to a configuration, and there is none yet.{' '}
          <Anchor component={Link} to="/welcome/configuration" underline="always">
            Create a configuration
          </Anchor>
          .
        </Text>
      </Section>
    );
  return <FirstTask configuration={configuration} progress={progress} />;
}

function FirstTask({ configuration, progress }: { configuration: SetupConfiguration; progress: SetupProgress }) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Section
      title="First task"
      lead="External agents send tasks over A2A with an API key. Run the command below to send one."
    >
      <Stack>
        {key ? (
          <Command a2aUrl={configuration.a2aUrl} apiKey={key} suggestion={suggestedQuestion(progress)} />
        ) : (
          <FirstKey configuration={configuration} onRevealed={setKey} />
        )}
        <TaskArrival task={progress.task} isWaiting={key !== null} />
      </Stack>
    </Section>
  );
}

/** A question that the sample documents answer. */
const suggestedQuestion = ({ integrations }: SetupProgress): string =>
  integrations.some(({ kind }) => kind === 'sample')
    ? 'How many days of paid vacation do full-time employees have?'
    : 'What can you tell me?';

function Command({ a2aUrl, apiKey, suggestion }: { a2aUrl: string; apiKey: string; suggestion: string }) {
  const [question, setQuestion] = useState(suggestion);
  return (
    <>
      <SecretOnce
        label="API key"
        value={apiKey}
        note="Keep this key secret. Anyone who has it can send tasks as this agent."
      />
      <TextInput
        label="Question"
        maxLength={500}
        value={question}
        onChange={({ currentTarget }) => setQuestion(currentTarget.value)}
      />
      <Snippet label="Command" text={firstTaskCommand({ a2aUrl, key: apiKey, question })} />
    </>
  );
}

/** Updates as soon as the task arrives, and when it ends. */
const TaskArrival = ({ task, isWaiting }: { task: SetupProgress['task']; isWaiting: boolean }) => (
  <div aria-live="polite">
    {task ? (
      <Stack gap="sm">
        <Group gap="sm">
          <Text size="sm" fw={600}>
            Your first task arrived
          </Text>
          <StateBadge state={task.state.toLowerCase()} label={taskStateName(task.state)} />
        </Group>
        <Answer artifacts={task.artifacts} />
        <Group gap="sm">
          <Button component={Link} to="/welcome">
            Finish
          </Button>
          <Button component={Link} to={`/tasks/${task.id}`} variant="default">
            View task
          </Button>
        </Group>
      </Stack>
    ) : (
      isWaiting && (
        <Text size="sm" c="dimmed">
          Waiting for the task. Run the command in a terminal; the answer appears here.
        </Text>
      )
    )}
  </div>
);

/** The text of the result. The page of the task shows the rest. */
function Answer({ artifacts }: { artifacts: unknown }) {
  const results = (artifacts ?? []) as { parts: { text?: string }[] }[];
  const text = results.flatMap(({ parts }) => parts.flatMap((part) => part.text ?? []))[0];
  return (
    text && (
      <Paper p="sm" component="blockquote" m={0}>
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          <Untrusted text={text} />
        </Text>
      </Paper>
    )
  );
}
