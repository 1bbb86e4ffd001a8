import { Button, Code, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { graphql } from '../../../api/graphql.ts';
import { Confirm } from '../../../kit/confirm.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { When } from '../../../kit/when.tsx';

const setToken = graphql(`
  mutation SetSlackAppToken($input: SetSlackAppTokenInput!) {
    setSlackAppToken(input: $input) {
      hasApp
    }
  }
`);
const removeToken = graphql(`
  mutation RemoveSlackAppToken {
    removeSlackAppToken {
      hasApp
    }
  }
`);

interface SocketState {
  isConnected: boolean;
  since: string;
  lastError: string | null;
}

/** How Slack reports clicks: by requests to this server, or on a connection that this server opens. */
export function SlackSocket({ socket, requestUrl }: { socket: SocketState | null; requestUrl: string }) {
  return (
    <Stack gap="sm" align="flex-start">
      {socket ? (
        <>
          <ConnectionState socket={socket} />
          <RemoveButton />
        </>
      ) : (
        <Text size="sm">
          Request URL for “Interactivity” in the settings of the Slack app: <Code>{requestUrl}</Code>. If Slack cannot
          reach it, use socket mode.
        </Text>
      )}
      <TokenForm isReplacing={socket !== null} />
    </Stack>
  );
}

function ConnectionState({ socket: { isConnected, since, lastError } }: { socket: SocketState }) {
  return (
    <Text size="sm">
      Socket mode:{' '}
      {isConnected ? (
        'Connected'
      ) : lastError === null ? (
        'Connecting'
      ) : (
        <>
          Reconnecting since <When at={since} />. Last error: <Untrusted text={lastError} />
        </>
      )}
    </Text>
  );
}

function TokenForm({ isReplacing }: { isReplacing: boolean }) {
  const form = useForm({ initialValues: { token: '' } });
  const { send, problem, isSending } = useChange(setToken, {
    done: 'App-level token saved.',
    onDone: () => form.reset(),
  });
  const fault = faultOf(problem, 'token');
  return (
    <form onSubmit={form.onSubmit((input) => send({ input }))} style={{ width: '100%', maxWidth: '32rem' }}>
      <Stack gap="sm">
        {problem && !fault && <ProblemNote problem={problem} />}
        <PasswordInput
          label="App-level token"
          description="For socket mode, with the scope connections:write. Not shown again."
          autoComplete="off"
          required
          {...form.getInputProps('token')}
          error={fault}
        />
        <Group>
          <Button type="submit" variant="default" loading={isSending}>
            {isReplacing ? 'Replace token' : 'Turn on socket mode'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RemoveButton() {
  const [isConfirming, setConfirming] = useState(false);
  const { send, problem, isSending } = useChange(removeToken, {
    done: 'Socket mode is off.',
    onDone: () => setConfirming(false),
  });
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        Turn off socket mode
      </Button>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Turn off socket mode?"
        verb="Turn off socket mode"
        problem={problem}
        isSending={isSending}
        onConfirm={() => void send({})}
      >
        <Text size="sm">
          The app-level token is removed, and the connection to Slack ends. Revoke the token in Slack too.
        </Text>
      </Confirm>
    </>
  );
}
