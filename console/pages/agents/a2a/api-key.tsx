import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { useMay } from '../../../kit/me.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import type { Configuration } from '../configuration-query.ts';
import { ApiKeyField } from './api-key-field.tsx';
import { createA2aKey } from './create-key.ts';
import { type ShownKey, type UsableKey, usableKeysOf } from './shown-key.ts';

interface Props {
  configuration: Configuration;
  shown: ShownKey | null;
  /** Null: hides the key. */
  onShow(key: ShownKey | null): void;
}

/** One key of the configuration, masked until somebody shows it; without a key, a button that generates one. */
export function ApiKey({ configuration, shown, onShow }: Props) {
  const [chosenId, choose] = useState<string | null>(null);
  const keys = usableKeysOf(configuration.agents);
  const current = keys.find(({ id }) => id === (shown?.id ?? chosenId)) ?? keys.at(0);
  if (!current) return <NoKey configuration={configuration} onShow={onShow} />;
  return (
    <Stack gap="xs">
      {keys.length > 1 && (
        <Select
          label="Key"
          data={keys.map(({ id, hint, agentName }) => ({ value: id, label: `${visible(agentName)}: ${hint}` }))}
          allowDeselect={false}
          value={current.id}
          onChange={(id) => {
            onShow(null);
            choose(id);
          }}
        />
      )}
      <ApiKeyField
        apiKey={current}
        shown={shown?.id === current.id ? shown : null}
        onShow={(key) => {
          choose(current.id);
          onShow(key);
        }}
      />
      <KeyNotice apiKey={current} isShown={shown?.id === current.id} />
    </Stack>
  );
}

const KeyNotice = ({ apiKey: { agentName }, isShown }: { apiKey: UsableKey; isShown: boolean }) => (
  <Text size="xs" c="dimmed" role="status">
    {isShown ? (
      <>
        Anyone with this key can act as “<Untrusted text={agentName} />
        ”. Because you saw it, you can&apos;t approve its requests. Share it only over a secure channel.
      </>
    ) : (
      <>
        Key of “<Untrusted text={agentName} />
        ”. Showing or copying it is recorded, and you can&apos;t approve its requests afterwards.
      </>
    )}
  </Text>
);

const createAgentWithKey = graphql(`
  mutation CreateAgentWithKey($input: CreateAgentWithKeyInput!) {
    createAgentWithKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);

function NoKey({ configuration: { id: configurationId, name, agents }, onShow }: Omit<Props, 'shown'>) {
  const may = useMay();
  const agent = agents.find(({ pausedAt }) => !pausedAt);
  const withAgent = useChange(createAgentWithKey, {
    onDone: ({ createAgentWithKey: { key, a2aKey } }) => onShow({ id: a2aKey.id, key }),
  });
  const ofAgent = useChange(createA2aKey, {
    onDone: ({ createA2aKey: { key, a2aKey } }) => onShow({ id: a2aKey.id, key }),
  });
  const problem = withAgent.problem ?? ofAgent.problem;
  if (!may('keys:manage')) return <Text size="sm">No API key yet. Ask an administrator to generate one.</Text>;
  const generate = () =>
    agent ? ofAgent.send({ input: { agentId: agent.id } }) : withAgent.send({ input: { configurationId } });
  return (
    <div>
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm" fw={500} mb={4}>
        API key
      </Text>
      <Group gap="sm">
        <Button
          leftSection={<IconKey size={16} aria-hidden />}
          loading={withAgent.isSending || ofAgent.isSending}
          onClick={() => void generate()}
        >
          Generate key
        </Button>
        <Text size="sm" c="dimmed" flex="1 1 14rem">
          {agent ? (
            <>
              Creates a key for “<Untrusted text={agent.name} />
              ”.
            </>
          ) : (
            <>
              Creates the agent identity “<Untrusted text={name} />” and its key. You become the responsible member.
            </>
          )}{' '}
          You see the key and can&apos;t approve its requests.
        </Text>
      </Group>
    </div>
  );
}
