import { useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Identity } from './identity-query.ts';

const matchIdentities = graphql(`
  mutation MatchSpendIdentities($input: MatchSpendIdentitiesInput!) {
    matchSpendIdentities(input: $input) {
      id
    }
  }
`);

const unmatchIdentities = graphql(`
  mutation UnmatchSpendIdentities($input: SpendIdentitiesInput!) {
    unmatchSpendIdentities(input: $input) {
      id
    }
  }
`);

const ignoreIdentities = graphql(`
  mutation IgnoreSpendIdentities($input: SpendIdentitiesInput!) {
    ignoreSpendIdentities(input: $input) {
      id
    }
  }
`);

const reopenIdentities = graphql(`
  mutation ReopenSpendIdentities($input: SpendIdentitiesInput!) {
    reopenSpendIdentities(input: $input) {
      id
    }
  }
`);

/** The last action, and the mutation that undoes it. */
interface LastAction {
  identity: Identity;
  message: string;
  undoBy: 'unmatch' | 'reopen';
}

export interface IdentityActions {
  match(identity: Identity, person: { id: string; name: string }): void;
  ignore(identity: Identity): void;
  unmatch(identity: Identity): void;
  reopen(identity: Identity): void;
}

export function useIdentityActions(refetch: () => void) {
  const [lastAction, setLastAction] = useState<LastAction | null>(null);
  const match = useChange(matchIdentities, { onDone: refetch });
  const unmatch = useChange(unmatchIdentities, { onDone: refetch });
  const ignore = useChange(ignoreIdentities, { onDone: refetch });
  const reopen = useChange(reopenIdentities, { onDone: refetch });
  const of = ({ id }: Identity) => ({ input: { identityIds: [id] } });
  const act: IdentityActions = {
    match: async (identity, person) => {
      const matches = [{ identityId: identity.id, personId: person.id }];
      if (await match.send({ input: { matches } }))
        setLastAction({
          identity,
          message: `${displayName(identity)} is now matched to ${visible(person.name)}.`,
          undoBy: 'unmatch',
        });
    },
    ignore: async (identity) => {
      if (await ignore.send(of(identity)))
        setLastAction({ identity, message: `${displayName(identity)} is now ignored.`, undoBy: 'reopen' });
    },
    unmatch: async (identity) => {
      if (await unmatch.send(of(identity)))
        setLastAction({ identity, message: `${displayName(identity)} is now unmatched.`, undoBy: 'reopen' });
    },
    reopen: async (identity) => {
      setLastAction(null);
      await reopen.send(of(identity));
    },
  };
  const undo = async () => {
    const reverse = lastAction?.undoBy === 'unmatch' ? unmatch : reopen;
    if (lastAction && (await reverse.send(of(lastAction.identity)))) setLastAction(null);
  };
  const problem = match.problem ?? unmatch.problem ?? ignore.problem ?? reopen.problem;
  return { lastAction, problem, act, undo: () => void undo() };
}

export const displayName = ({ name, key }: Identity) => visible(name ?? key);
