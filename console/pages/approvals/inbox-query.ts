import { graphql, type ResultOf } from '../../api/graphql.ts';

export const inboxQuery = graphql(`
  query Inbox($isPending: Boolean!, $first: Int!, $after: String) {
    approvals(isPending: $isPending, first: $first, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        id
        tool
        state
        stepNumber
        escalatedAt
        stepCount
        expiresAt
        decidedAt
        viewerCanDecide
        decider {
          name
        }
        call {
          title
          effect
          caller
          arguments
        }
      }
    }
  }
`);

export type InboxApproval = ResultOf<typeof inboxQuery>['approvals']['nodes'][number];
