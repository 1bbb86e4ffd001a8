import { useEffect } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../api/graphql.ts';
import type { Approval } from './approval-query.ts';

const mutation = graphql(`
  mutation RecordApprovalView($input: RecordApprovalViewInput!) {
    recordApprovalView(input: $input)
  }
`);

/** Records that this person has the arguments in front of them, if they can decide. The server stores the first time. */
export function useRecordedView({ id, viewerCanDecide, call }: Approval): void {
  const client = useClient();
  const { argumentsHash } = call;
  const canView = viewerCanDecide && call.arguments !== null;
  useEffect(() => {
    // a failure must not disturb the decision
    if (canView) void client.mutation(mutation, { input: { id, argumentsHash } }).toPromise();
  }, [client, id, canView, argumentsHash]);
}
