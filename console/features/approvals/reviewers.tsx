import { Code } from '@mantine/core';
import { graphql, type ResultOf } from '../../api/graphql.ts';

export const reviewerStatusQuery = graphql(`
  query ReviewerStatus {
    reviewerStatus
    configurationsWithoutReview
  }
`);
export type ReviewerStatus = ResultOf<typeof reviewerStatusQuery>['reviewerStatus'];

/** Another administrator has joined. */
export const hasSecondPerson = (status: ReviewerStatus): boolean => status === 'available' || status === 'dependent';

const vouching = (
  <>
    the operator of this server vouches for them once, with <Code>countersign admin vouch &lt;email&gt;</Code>
  </>
);

/** Why nobody can review calls yet, and what to do. Nothing if somebody can. */
export function ReviewerAdvice({ status }: { status: ReviewerStatus }) {
  switch (status) {
    case 'available':
      return null;
    case 'dependent':
      return (
        <>
          The other administrators joined through you, so they can’t review your agents’ calls yet. To change this,{' '}
          {vouching}.
        </>
      );
    case 'invited':
      return (
        <>
          Approvals have to wait until the invited administrator has joined; until then, calls that need a review are
          refused. If you invited them yourself, {vouching} after they joined.
        </>
      );
    default:
      return <>There is no second administrator. Invite one; until then, calls that need a review are refused.</>;
  }
}
