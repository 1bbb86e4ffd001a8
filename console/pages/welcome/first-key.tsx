import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { SetupConfiguration } from './setup-progress.ts';

const createAgent = graphql(`
  mutation CreateFirstAgent($input: CreateAgentInput!) {
    createAgent(input: $input) {
      id
    }
  }
`);
const createA2aKey = graphql(`
  mutation CreateFirstKey($input: CreateA2aKeyInput!) {
    createA2aKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);
const revealA2aKey = graphql(`
  mutation RevealFirstKey($input: A2aKeyInput!) {
    revealA2aKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);

interface Props {
  configuration: SetupConfiguration;
  onRevealed(key: string): void;
}

/** Creates a key for an agent identity, or reveals the existing one. */
export function FirstKey({ configuration, onRevealed }: Props) {
  const usable = configuration.agents.flatMap(({ name, keys }) =>
    keys
      .filter(({ revokedAt, pausedAt, expiresAt }) => !revokedAt && !pausedAt && !expiresAt)
      .map(({ id, hint }) => ({ id, hint, name })),
  );
  return usable.length ? (
    <RevealKey {...usable[0]} onRevealed={onRevealed} />
  ) : (
    <CreateKey configuration={configuration} onRevealed={onRevealed} />
  );
}

function CreateKey({ configuration: { id: configurationId, agents }, onRevealed }: Props) {
  const [name, setName] = useState(agents[0]?.name ?? 'First agent');
  const agent = useChange(createAgent);
  const key = useChange(createA2aKey, { onDone: ({ createA2aKey }) => onRevealed(createA2aKey.key) });
  const problem = agent.problem ?? key.problem;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const existing = agents.find((one) => one.name === name.trim());
    const agentId = existing?.id ?? (await agent.send({ input: { configurationId, name } }))?.createAgent.id;
    if (agentId) await key.send({ input: { agentId } });
  };
  return (
    <form onSubmit={submit}>
      <Stack maw="30rem">
        {problem && <ProblemNote problem={problem} />}
        <TextInput
          label="Agent name"
          description="Identifies the agent’s tasks. You are responsible for this agent."
          required
          maxLength={80}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={agent.isSending || key.isSending}>
            Create API key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RevealKey({
  id,
  name,
  hint,
  onRevealed,
}: {
  id: string;
  name: string;
  hint: string;
  onRevealed(key: string): void;
}) {
  const { send, problem, isSending } = useChange(revealA2aKey, {
    onDone: ({ revealA2aKey }) => onRevealed(revealA2aKey.key),
  });
  return (
    <Stack>
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm">
        “<Untrusted text={name} />” has the API key {hint}. Revealing it is recorded in the audit log.
      </Text>
      <Group>
        <Button loading={isSending} onClick={() => send({ input: { a2aKeyId: id } })}>
          Show command
        </Button>
      </Group>
    </Stack>
  );
}
