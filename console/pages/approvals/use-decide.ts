import { useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import type { Problem } from '../../api/problem.ts';
import { PasskeyError, signWithPasskey } from '../../kit/passkey.ts';
import { useChange } from '../../kit/use-change.tsx';
import type { Approval } from './approval-query.ts';
import type { TaskGrantTerms } from './task-grant-fields.tsx';

const decide = graphql(`
  mutation DecideApproval($input: DecideApprovalInput!) {
    decideApproval(input: $input) {
      id
      state
      reason
      quorum
      approvedBy {
        id
      }
      stepNumber
      stepCount
    }
  }
`);

const requestPasskey = graphql(`
  mutation RequestApprovalPasskey($input: RequestApprovalPasskeyInput!) {
    requestApprovalPasskey(input: $input) {
      options
    }
  }
`);

export type Decided = ResultOf<typeof decide>['decideApproval'];
type Decision = 'approve' | 'deny';

interface DecisionDetails {
  /** For a denial. */
  reason?: string;
  /** Further calls that are allowed together with the approved one. */
  taskGrant?: TaskGrantTerms | null;
}

interface Decider {
  /** Null: refused, see `problem`, or no passkey answered, see `passkeyFault`. */
  send(decision: Decision, more: DecisionDetails): Promise<Decided | null>;
  isSending: boolean;
  problem: Problem | null;
  /** The person canceled the dialog of the browser, or it is not possible here. */
  passkeyFault: string | null;
  forget(): void;
}

/** Decides on an approval; where the step requires it, after the person's passkey has signed the decision. */
export function useDecide({ id, call, requiresPasskey }: Approval, onRejected: () => void): Decider {
  const passkey = useChange(requestPasskey, { onRefused: onRejected });
  const decision = useChange(decide, { onRefused: onRejected });
  const [isSigning, setSigning] = useState(false);
  const [passkeyFault, setPasskeyFault] = useState<string | null>(null);

  const sign = async (input: { id: string; decision: Decision }): Promise<string | null> => {
    const requested = await passkey.send({ input });
    if (!requested) return null;
    try {
      return await signWithPasskey(requested.requestApprovalPasskey.options);
    } catch (error) {
      if (!(error instanceof PasskeyError)) throw error;
      setPasskeyFault(error.message);
      return null;
    }
  };

  const forget = () => {
    passkey.forget();
    decision.forget();
    setPasskeyFault(null);
  };

  const send = async (chosen: Decision, more: DecisionDetails): Promise<Decided | null> => {
    forget();
    setSigning(requiresPasskey);
    try {
      const { argumentsHash, definitionHash } = call;
      const hashes = chosen === 'approve' ? { argumentsHash, definitionHash } : {};
      const input = { id, decision: chosen, ...hashes };
      const passkeyResponse = requiresPasskey ? await sign(input) : undefined;
      if (passkeyResponse === null) return null;
      return (await decision.send({ input: { ...input, ...more, passkeyResponse } }))?.decideApproval ?? null;
    } finally {
      setSigning(false);
    }
  };

  const problem = passkey.problem ?? decision.problem;
  return { send, isSending: isSigning || decision.isSending, problem, passkeyFault, forget };
}
