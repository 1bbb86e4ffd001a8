import { Badge } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.ts';
import { useChangeEvents } from '../api/change-events.ts';

const query = graphql(`
  query WaitingCount {
    approvals(state: pending, first: 1) {
      totalCount
    }
  }
`);

/** Number of pending approvals, beside their link. */
export function WaitingCount() {
  const [{ data }, again] = useQuery({ query });
  useChangeEvents('approval', () => again({ requestPolicy: 'network-only' }));
  const waiting = data?.approvals.totalCount;
  if (!waiting) return null;
  return (
    <Badge size="sm" variant="filled" circle={waiting < 10} aria-label={`${waiting} pending`}>
      {waiting > 99 ? '99+' : waiting}
    </Badge>
  );
}
