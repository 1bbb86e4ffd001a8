import { Badge } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.ts';
import { useChangeEvents } from '../api/change-events.ts';

const query = graphql(`
  query WaitingCount {
    approvalsToDecide(first: 1) {
      totalCount
    }
  }
`);

/** Number of approvals that wait for this person, beside their link. */
export function WaitingCount() {
  const [{ data }, refetch] = useQuery({ query });
  useChangeEvents(['approval', 'organization'], () => refetch({ requestPolicy: 'network-only' }));
  const waiting = data?.approvalsToDecide.totalCount;
  if (!waiting) return null;
  return (
    <Badge size="sm" variant="filled" circle={waiting < 10} aria-label={`${waiting} waiting for you`}>
      {waiting > 99 ? '99+' : waiting}
    </Badge>
  );
}
