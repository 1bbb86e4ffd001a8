import { Badge, Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { useMe } from '../../kit/me.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { AccessItem, AccessList } from './access-list.tsx';
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

/** The browsers in which the member is signed in. */
export function Sessions() {
  const [result, refetch] = useQuery({ query, requestPolicy: 'cache-and-network' });
  const { freshAt } = useMe();
  const reload = () => refetch({ requestPolicy: 'network-only' });
  useEffect(() => reload(), [freshAt]); // eslint-disable-line react-hooks/exhaustive-deps -- a changed password ends the others
  const heading = useRef<HTMLDivElement>(null);
  const ended = () => {
    reload();
    heading.current?.focus(); // the button that had the focus is gone
  };
  const ending = useChange(endSession, { done: 'Session ended.', onDone: ended, isLoud: true });
  const endingOthers = useChange(endOtherSessions, { done: 'Other sessions ended.', onDone: ended, isLoud: true });
  const hasOthers = (result.data?.me.sessions.length ?? 0) > 1;
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
        <Loaded result={result} refetch={refetch}>
          {({ me: { sessionId, sessions } }) => (
            <AccessList label="Sessions">
              {sessions.map(({ id, userAgent, createdAt, usedAt }) => (
                <AccessItem
                  key={id}
                  name={browserName(userAgent)}
                  badge={id === sessionId && <Badge variant="light">This session</Badge>}
                  details={
                    <>
                      Signed in <When at={createdAt} />, last used <When at={usedAt} />
                    </>
                  }
                  end={
                    id === sessionId
                      ? undefined
                      : {
                          label: 'End',
                          description: 'End session in',
                          onEnd: () => ending.send({ input: { sessionId: id } }),
                        }
                  }
                />
              ))}
            </AccessList>
          )}
        </Loaded>
      </Section>
    </div>
  );
}
