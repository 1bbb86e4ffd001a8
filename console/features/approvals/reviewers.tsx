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

const vouch = <Code>countersign admin vouch &lt;email&gt;</Code>;

/** Why nobody can review calls yet, and what to do. Nothing if somebody can. */
export function ReviewerAdvice({ status }: { status: ReviewerStatus }) {
  switch (status) {
    case 'available':
      return null;
    case 'dependent':
      return (
        <>
          The other administrators joined through you. They can confirm your agents’ calls, marked “self-approved”, but
          not review them until the operator of this server vouches for them once, with {vouch}.
        </>
      );
    case 'invited':
      return (
        <>
          Approvals have to wait until the invited administrator has joined; until then, calls that need a review are
          refused. If you invited them yourself, the operator of this server then vouches for them once, with {vouch}.
        </>
      );
    default:
      return <>There is no second administrator. Invite one; until then, calls that need a review are refused.</>;
  }
}
