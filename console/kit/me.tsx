import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../api/graphql.ts';
import { useChangeEvents } from '../api/change-events.ts';
import { Loaded } from './loaded.tsx';

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

/** Provides the signed-in member to all pages. */
export function WithMe({ children }: { children: ReactNode }) {
  const [result, refetch] = useQuery({ query: meQuery });
  useChangeEvents('organization', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ me }) => (
        <MeContext value={me}>
          <SameMember>{children}</SameMember>
        </MeContext>
      )}
    </Loaded>
  );
}

/** Reloads when another person signs in: nothing of the first person may be shown to or sent by the second. */
function SameMember({ children }: { children: ReactNode }) {
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

/** Takes "approvals:decide". Only decides what the page offers: the server checks every request. */
export const useMay = (): ((permission: string) => boolean) => {
  const { permissions } = useMe();
  return (permission) => permissions.includes(permission);
};
