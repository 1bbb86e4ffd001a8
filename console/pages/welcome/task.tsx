import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { SecretOnce, Snippet } from '../../kit/copy.tsx';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { firstTask } from './command.ts';
import { FirstKey } from './first-key.tsx';
import { type Configuration, type Progress, useWelcome } from './progress.ts';

export function Component() {
  const { progress } = useWelcome();
  const { configuration } = progress;
  if (!configuration)
    return (
      <Section title="First task">
        <Text size="sm">
          An agent sends tasks to a configuration.{' '}
          <Anchor component={Link} to="/welcome/configuration" underline="always">
            Make the first one
          </Anchor>
          .
        </Text>
      </Section>
    );
  return <FirstTask configuration={configuration} progress={progress} />;
}

function FirstTask({ configuration, progress }: { configuration: Configuration; progress: Progress }) {
  const [key, setKey] = useState<string | null>(null);
  return (
    <Section
      title="First task"
      lead="An agent from elsewhere hands tasks over by A2A, with a key of its own. The command below is such an agent."
    >
      <Stack>
        {key ? (
          <Command a2aUrl={configuration.a2aUrl} apiKey={key} />
        ) : (
          <FirstKey configuration={configuration} onShown={setKey} />
        )}
        <Arrival task={progress.task} isAwaited={key !== null} />
      </Stack>
    </Section>
  );
}

function Command({ a2aUrl, apiKey }: { a2aUrl: string; apiKey: string }) {
  const [question, setQuestion] = useState('What can you tell me?');
  return (
    <>
      <SecretOnce
        label="Key"
        value={apiKey}
        note="The key of the agent. Whoever has it sends tasks in its name; you answer for it"
      />
      <TextInput
        label="What it asks"
        maxLength={500}
        value={question}
        onChange={({ currentTarget }) => setQuestion(currentTarget.value)}
      />
      <Snippet label="Paste this into a terminal" text={firstTask({ a2aUrl, key: apiKey, question })} />
    </>
  );
}

/** Live: what was sent is here as soon as it has arrived. */
const Arrival = ({ task, isAwaited }: { task: Progress['task']; isAwaited: boolean }) => (
  <div aria-live="polite">
    {task ? (
      <Group gap="sm">
        <Text size="sm" fw={600}>
          Your first task has arrived
        </Text>
        <StateBadge state={task.state.toLowerCase()} />
        <Button component={Link} to={`/tasks/${task.id}`} variant="default" size="compact-sm">
          Look at it
        </Button>
        <Button component={Link} to="/welcome" size="compact-sm">
          Finish
        </Button>
      </Group>
    ) : (
      isAwaited && (
        <Text size="sm" c="dimmed">
          Waiting for the first task…
        </Text>
      )
    )}
  </div>
);
