import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { Section } from '../../kit/section.tsx';
import { ConnectForm } from './connect-form.tsx';
import { ConnectionList } from './connection-list.tsx';
import { type SetupProgress, useSetup } from './setup-progress.ts';

export function Component() {
  const { progress, refetch } = useSetup();
  const [isConnecting, setConnecting] = useState(false);
  if (isConnecting)
    return (
      <Section title="Connect language model">
        <ConnectForm
          connectorId="model"
          onCreated={() => {
            setConnecting(false);
            refetch();
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
        <ModelStatus progress={progress} />
        <Group>
          <Choices progress={progress} connect={() => setConnecting(true)} />
        </Group>
      </Stack>
    </Section>
  );
}

function ModelStatus({ progress: { models, hasDefaultModel } }: { progress: SetupProgress }) {
  if (models.length) return <ConnectionList connections={models} />;
  return (
    <Text size="sm">
      {hasDefaultModel
        ? 'This server has a default model. Configurations without a model of their own use it.'
        : 'Without a language model, the built-in agent handles tasks. It searches documents, cites passages, and runs exact tool instructions, but writes no text of its own.'}
    </Text>
  );
}

function Choices({ progress: { models, hasDefaultModel }, connect }: { progress: SetupProgress; connect(): void }) {
  const hasModel = models.length > 0 || hasDefaultModel;
  const nextButton = (
    <Button component={Link} to="/welcome/configuration" variant={hasModel ? 'filled' : 'default'}>
      {hasModel ? 'Next' : 'Continue with built-in agent'}
    </Button>
  );
  const connectButton = (
    <Button onClick={connect} variant={hasModel ? 'default' : 'filled'}>
      {hasModel ? 'Connect another model' : 'Connect language model'}
    </Button>
  );
  return hasModel ? (
    <>
      {nextButton}
      {connectButton}
    </>
  ) : (
    <>
      {connectButton}
      {nextButton}
    </>
  );
}
