import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { useMe } from '../../kit/me.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { browserName } from './browser-name.ts';

const query = graphql(`
  query OwnSessions {
    me {
      sessionId
      sessions {
        id
        userAgent
        createdAt
        usedAt
      }
    }
  }
`);
const endSession = graphql(`
  mutation EndSession($input: EndSessionInput!) {
    endSession(input: $input)
  }
`);
const endOtherSessions = graphql(`
  mutation EndOtherSessions {
    endOtherSessions
  }
`);
type Session = ResultOf<typeof query>['me']['sessions'][number];

/** The browsers in which the member is signed in. */
export function Sessions() {
  const [asked, again] = useQuery({ query, requestPolicy: 'cache-and-network' });
  const { freshAt } = useMe();
  const reload = () => again({ requestPolicy: 'network-only' });
  useEffect(() => reload(), [freshAt]); // eslint-disable-line react-hooks/exhaustive-deps -- a changed password ends the others
  const heading = useRef<HTMLDivElement>(null);
  const ended = () => {
    reload();
    heading.current?.focus(); // the button that had the focus is gone
  };
  const ending = useChange(endSession, { done: 'Session ended.', onDone: ended, isLoud: true });
  const endingOthers = useChange(endOtherSessions, { done: 'Other sessions ended.', onDone: ended, isLoud: true });
  const hasOthers = (asked.data?.me.sessions.length ?? 0) > 1;
  return (
    <div ref={heading} tabIndex={-1}>
      <Section
        title="Sessions"
        lead="Where you are signed in. End those that you don’t recognize, and change your password."
        actions={
          hasOthers && (
            <Button variant="default" loading={endingOthers.isSending} onClick={() => endingOthers.send({})}>
              End other sessions
            </Button>
          )
        }
      >
        <Loaded asked={asked} again={again}>
          {({ me: { sessionId, sessions } }) => (
            <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Sessions">
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  isCurrent={session.id === sessionId}
                  onEnd={() => ending.send({ input: { sessionId: session.id } })}
                />
              ))}
            </Stack>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

interface RowProps {
  session: Session;
  isCurrent: boolean;
  onEnd(): void;
}

const SessionRow = ({ session: { userAgent, createdAt, usedAt }, isCurrent, onEnd }: RowProps) => (
  <Group component="li" justify="space-between" gap="sm" wrap="nowrap">
    <div>
      <Group gap="xs">
        <Text size="sm">
          <Untrusted text={browserName(userAgent)} />
        </Text>
        {isCurrent && <Badge variant="light">This session</Badge>}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        Signed in <When at={createdAt} />, last used <When at={usedAt} />
      </Text>
    </div>
    {!isCurrent && (
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        aria-label={`End session in ${visible(browserName(userAgent))}`}
        onClick={onEnd}
      >
        End
      </Button>
    )}
  </Group>
);
