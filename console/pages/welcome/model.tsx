import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { Connect } from './connect.tsx';
import { MadeConnections } from './made-connections.tsx';
import { type Progress, useWelcome } from './progress.ts';

export function Component() {
  const { progress, again } = useWelcome();
  const [isConnecting, setConnecting] = useState(false);
  if (isConnecting)
    return (
      <Section title="Connect language model">
        <Connect
          kindId="model"
          onMade={() => {
            setConnecting(false);
            again();
          }}
          onCancel={() => setConnecting(false)}
        />
      </Section>
    );
  return (
    <Section
      title="Language model"
      lead="The model that runs your agents. Use any provider with an OpenAI-compatible or Anthropic API."
    >
      <Stack>
        <Standing progress={progress} />
        <Group>
          <Choices progress={progress} connect={() => setConnecting(true)} />
        </Group>
      </Stack>
    </Section>
  );
}

function Standing({ progress: { models, isModelProvided } }: { progress: Progress }) {
  if (models.length) return <MadeConnections connections={models} />;
  return (
    <Text size="sm">
      {isModelProvided
        ? 'This server has a default model. Configurations without a model of their own use it.'
        : 'Without a language model, the built-in agent handles tasks. It searches documents, cites passages, and runs exact tool instructions, but writes no text of its own.'}
    </Text>
  );
}

function Choices({ progress: { models, isModelProvided }, connect }: { progress: Progress; connect(): void }) {
  const hasOne = models.length > 0 || isModelProvided;
  const goOn = (
    <Button component={Link} to="/welcome/configuration" variant={hasOne ? 'filled' : 'default'}>
      {hasOne ? 'Next' : 'Continue with built-in agent'}
    </Button>
  );
  const other = (
    <Button onClick={connect} variant={hasOne ? 'default' : 'filled'}>
      {hasOne ? 'Connect another model' : 'Connect language model'}
    </Button>
  );
  return hasOne ? (
    <>
      {goOn}
      {other}
    </>
  ) : (
    <>
      {other}
      {goOn}
    </>
  );
}
