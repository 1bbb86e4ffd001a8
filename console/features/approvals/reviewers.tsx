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

const vouch = <Code>countersign-operator admin vouch &lt;email&gt;</Code>;

/** Why nobody can review calls yet, and what to do. Nothing if somebody can. */
export function ReviewerAdvice({ status }: { status: ReviewerStatus }) {
  switch (status) {
    case 'available':
      return null;
    case 'dependent':
      return (
        <>
          The other administrators joined through you, so they can only confirm your agents’ calls, not review them. The
          operator of this server can vouch for them with {vouch}.
        </>
      );
    case 'invited':
      return (
        <>
          Approvals have to wait until the invited administrator has joined. If you invited them, the operator of this
          server also has to vouch for them with {vouch}. Until then, calls that need a review are refused.
        </>
      );
    default:
      return <>Invite a second administrator. Until then, calls that need a review are refused.</>;
  }
}
