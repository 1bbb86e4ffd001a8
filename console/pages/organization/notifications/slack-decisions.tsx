import { Button, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';
import { SlackSocket } from './slack-socket.tsx';

const query = graphql(`
  query SlackSettings {
    slackSettings {
      allowsDecisions
      hasApp
      requestUrl
      socket {
        isConnected
        since
        lastError
      }
    }
  }
`);
const setDecisions = graphql(`
  mutation SetSlackDecisions($input: SetSlackDecisionsInput!) {
    setSlackDecisions(input: $input) {
      allowsDecisions
    }
  }
`);
type Settings = ResultOf<typeof query>['slackSettings'];

/** The state of the connection is no change event. */
const refreshMs = 5000;

/** Adding or removing a channel can change whether there is an app. */
const context = { additionalTypenames: ['NotificationChannel'] };

/** The switch for the whole organization. */
export function SlackDecisions() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network', context });
  const isSocketMode = Boolean(result.data?.slackSettings.socket);
  useEffect(() => {
    if (!isSocketMode) return;
    const timer = setInterval(() => refetch({ requestPolicy: 'network-only' }), refreshMs);
    return () => clearInterval(timer);
  }, [refetch, isSocketMode]);
  return (
    <Section
      title="Decisions in Slack"
      lead="Members decide in Slack on approvals of the steps that allow it. Never on calls of destructive tools."
    >
      <Loaded result={result} refetch={refetch}>
        {({ slackSettings }) => (
          <Stack gap="lg">
            <Switch settings={slackSettings} />
            <SlackSocket socket={slackSettings.socket} requestUrl={slackSettings.requestUrl} />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

function Switch({ settings: { allowsDecisions, hasApp } }: { settings: Settings }) {
  const { send, problem, isSending } = useChange(setDecisions, {
    done: ({ setSlackDecisions }) => `Decisions in Slack are ${setSlackDecisions.allowsDecisions ? 'on' : 'off'}.`,
  });
  return (
    <Stack gap="sm" align="flex-start">
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm">
        {allowsDecisions
          ? hasApp
            ? 'On for the steps that allow it.'
            : 'No Slack app with a signing secret yet. Add one as a channel.'
          : 'Off for the whole organization.'}
      </Text>
      <Button
        variant="default"
        loading={isSending}
        onClick={() => void send({ input: { allowsDecisions: !allowsDecisions } })}
      >
        {allowsDecisions ? 'Turn off decisions in Slack' : 'Turn on decisions in Slack'}
      </Button>
    </Stack>
  );
}
