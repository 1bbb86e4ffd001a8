import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';

const query = graphql(`
  query SlackAccount {
    slackAccount {
      isAvailable
      slackUserId
      linkedAt
    }
  }
`);
const requestCode = graphql(`
  mutation RequestSlackLink {
    requestSlackLink {
      isAvailable
      slackUserId
      linkedAt
    }
  }
`);
const linkAccount = graphql(`
  mutation LinkSlackAccount($input: LinkSlackAccountInput!) {
    linkSlackAccount(input: $input) {
      isAvailable
      slackUserId
      linkedAt
    }
  }
`);
const unlinkAccount = graphql(`
  mutation UnlinkSlackAccount {
    unlinkSlackAccount {
      isAvailable
      slackUserId
      linkedAt
    }
  }
`);
type Account = ResultOf<typeof query>['slackAccount'];

/** Links the member's Slack account, so that they can decide on approvals there. */
export function SlackAccount() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network' });
  if (result.data && !result.data.slackAccount.isAvailable && !result.data.slackAccount.slackUserId) return null;
  return (
    <Section title="Slack account" lead="Link your account to decide on approvals in Slack.">
      <Loaded result={result} refetch={refetch}>
        {({ slackAccount }) => (slackAccount.slackUserId ? <Linked account={slackAccount} /> : <LinkForm />)}
      </Loaded>
    </Section>
  );
}

function Linked({ account: { slackUserId, linkedAt } }: { account: Account }) {
  const { send, problem, isSending } = useChange(unlinkAccount, { done: 'Slack account unlinked.' });
  return (
    <Stack gap="sm" align="flex-start">
      {problem && <ProblemNote problem={problem} />}
      <Text size="sm">
        Linked to <Code>{slackUserId}</Code>, <When at={linkedAt!} />
      </Text>
      <Button variant="default" loading={isSending} onClick={() => void send({})}>
        Unlink Slack account
      </Button>
    </Stack>
  );
}

function LinkForm() {
  const [isSent, setSent] = useState(false);
  const [code, setCode] = useState('');
  const requesting = useChange(requestCode, { onDone: () => setSent(true) });
  const linking = useChange(linkAccount, { done: 'Slack account linked.' });
  const problem = requesting.problem ?? linking.problem;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void linking.send({ input: { code } });
  };
  return (
    <form onSubmit={submit} aria-label="Link Slack account">
      <Stack gap="sm" maw="30rem">
        {problem && <ProblemNote problem={problem} />}
        {isSent && (
          <TextInput
            label="Code"
            description="From the direct message that the app sent you in Slack. Valid for ten minutes."
            required
            autoComplete="one-time-code"
            value={code}
            onChange={({ currentTarget: { value } }) => setCode(value)}
          />
        )}
        <Group>
          {isSent && (
            <Button type="submit" loading={linking.isSending}>
              Link Slack account
            </Button>
          )}
          <Button variant="default" loading={requesting.isSending} onClick={() => void requesting.send({})}>
            {isSent ? 'Send another code' : 'Send code to Slack'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
