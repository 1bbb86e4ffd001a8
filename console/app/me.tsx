import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useNews } from '../api/live.ts';
import { Loaded } from '../kit/loaded.tsx';

const meQuery = graphql(`
  query Me {
    me {
      permissions
      freshAt
      sessionId
      member {
        id
        name
        email
        roles
        groups {
          id
          name
        }
      }
      tenant {
        id
        name
        slug
        pausedAt
      }
    }
  }
`);

export type Me = ResultOf<typeof meQuery>['me'];

const MeContext = createContext<Me | null>(null);

/** Who is signed in, for everything below. */
export function WithMe({ children }: { children: ReactNode }) {
  const [asked, again] = useQuery({ query: meQuery });
  useNews('organization', () => again({ requestPolicy: 'network-only' }));
  return (
    <Loaded asked={asked} again={again}>
      {({ me }) => (
        <MeContext value={me}>
          <OnePerson>{children}</OnePerson>
        </MeContext>
      )}
    </Loaded>
  );
}

/** Where somebody else has signed in beside, nothing stays of what was seen, and nothing is sent of what was typed. */
function OnePerson({ children }: { children: ReactNode }) {
  const { id } = useMe().member;
  const [first] = useState(id);
  const isOther = id !== first;
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  return isOther ? null : children;
}

export function useMe(): Me {
  const me = use(MeContext);
  if (!me) throw new Error('outside of <WithMe>');
  return me;
}

/** "approvals:decide"; the server asks again, so this only decides what is offered. */
export const useMay = (): ((permission: string) => boolean) => {
  const { permissions } = useMe();
  return (permission) => permissions.includes(permission);
};
