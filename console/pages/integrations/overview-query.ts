import { graphql, type ResultOf } from '../../api/graphql.ts';

export const overviewQuery = graphql(`
  query IntegrationOverview(
    $id: ID!
    $canManageKnowledge: Boolean!
    $canReadSpend: Boolean!
    $canReadPolicies: Boolean!
  ) {
    connection(id: $id) {
      id
      tools {
        id
        operation
        effect
        confirmedAt
        isPendingReview
        goneAt
      }
      accounts(first: 1) {
        totalCount
      }
      pendingAuthorizationServer {
        issuer
        authorizationEndpoint
        confirmedIssuer
        foundAt
      }
    }
    knowledgeSource(connectionId: $id) @include(if: $canManageKnowledge) {
      connectionId
      failure
      finishedAt
      problemCount
    }
    spendFeeds @include(if: $canReadSpend) {
      connectionId
      errorDetail
      nextAt
    }
    configurations(first: 200) @include(if: $canReadPolicies) {
      nodes {
        id
        name
        connections {
          id
        }
      }
    }
  }
`);

export type OverviewData = ResultOf<typeof overviewQuery>;
