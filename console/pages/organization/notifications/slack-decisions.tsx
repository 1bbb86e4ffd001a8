import { Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { Loaded } from '../../../kit/loaded.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';

const query = graphql(`
  query SlackSettings {
    slackSettings {
      allowsDecisions
      hasApp
      requestUrl
    }
  }
`);
const setDecisions = graphql(`
  mutation SetSlackDecisions($input: SetSlackDecisionsInput!) {
    setSlackDecisions(input: $input) {
      allowsDecisions
      hasApp
      requestUrl
    }
  }
`);
type Settings = ResultOf<typeof query>['slackSettings'];

/** Adding or removing a channel can change whether there is an app. */
const context = { additionalTypenames: ['NotificationChannel'] };

/** The switch for the whole organization. */
export function SlackDecisions() {
  const [asked, again] = useQuery({ query, requestPolicy: 'cache-and-network', context });
  return (
    <Section
      title="Decisions in Slack"
      lead="Members decide in Slack on approvals of the steps that allow it. Never on calls of destructive tools."
    >
      <Loaded asked={asked} again={again}>
        {({ slackSettings }) => <Switch settings={slackSettings} />}
      </Loaded>
    </Section>
  );
}

function Switch({ settings: { allowsDecisions, hasApp, requestUrl } }: { settings: Settings }) {
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
      <Text size="sm">
        Request URL for “Interactivity” in the settings of the Slack app: <Code>{requestUrl}</Code>
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
