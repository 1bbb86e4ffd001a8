import { graphql, type ResultOf } from '../../api/graphql.ts';

export const inboxQuery = graphql(`
  query Inbox($isPending: Boolean!, $oldestFirst: Boolean!, $first: Int!, $after: String) {
    approvals(isPending: $isPending, oldestFirst: $oldestFirst, first: $first, after: $after) {
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
        createdAt
        blockedTaskCount
        expiresAt
        decidedAt
        overriddenBy
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

export const overridesQuery = graphql(`
  query OverridesToReview {
    overridesToReview {
      id
      tool
      override {
        approvalId
        at
        by {
          name
        }
      }
    }
  }
`);

export type InboxApproval = ResultOf<typeof inboxQuery>['approvals']['nodes'][number];
