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
      <Section title="Connect a language model">
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
      lead="What your agents think with: any provider with an OpenAI-compatible or Anthropic API."
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
        ? 'The operator of this server has set one. It is used wherever a configuration names none.'
        : 'Without one, the built-in agent answers: it finds passages and cites them, and carries out exact instructions. It needs no provider, and writes no text of its own.'}
    </Text>
  );
}

function Choices({ progress: { models, isModelProvided }, connect }: { progress: Progress; connect(): void }) {
  const hasOne = models.length > 0 || isModelProvided;
  const goOn = (
    <Button component={Link} to="/welcome/configuration" variant={hasOne ? 'filled' : 'default'}>
      {hasOne ? 'Next' : 'Go on with the built-in agent'}
    </Button>
  );
  const other = (
    <Button onClick={connect} variant={hasOne ? 'default' : 'filled'}>
      {hasOne ? 'Connect another one' : 'Connect a language model'}
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
