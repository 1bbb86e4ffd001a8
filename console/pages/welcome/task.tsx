import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { SecretOnce, Snippet } from '../../kit/copy.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
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
          <Command a2aUrl={configuration.a2aUrl} apiKey={key} />
        ) : (
          <FirstKey configuration={configuration} onRevealed={setKey} />
        )}
        <TaskArrival task={progress.task} isWaiting={key !== null} />
      </Stack>
    </Section>
  );
}

function Command({ a2aUrl, apiKey }: { a2aUrl: string; apiKey: string }) {
  const [question, setQuestion] = useState('What can you tell me?');
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

/** Updates as soon as the task arrives. */
const TaskArrival = ({ task, isWaiting }: { task: SetupProgress['task']; isWaiting: boolean }) => (
  <div aria-live="polite">
    {task ? (
      <Group gap="sm">
        <Text size="sm" fw={600}>
          Your first task arrived
        </Text>
        <StateBadge state={task.state.toLowerCase()} label={taskStateName(task.state)} />
        <Button component={Link} to={`/tasks/${task.id}`} variant="default" size="compact-sm">
          View task
        </Button>
        <Button component={Link} to="/welcome" size="compact-sm">
          Finish
        </Button>
      </Group>
    ) : (
      isWaiting && (
        <Text size="sm" c="dimmed">
          Waiting for the first task…
        </Text>
      )
    )}
  </div>
);
