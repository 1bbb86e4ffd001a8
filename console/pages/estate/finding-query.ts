import { graphql, type ResultOf, type VariablesOf } from '../../api/graphql.ts';

export const findingNode = graphql(`
  fragment FindingNode on EstateFinding @_unmask {
    id
    rule
    severity
    state
    reason
    path
    serverName
    source {
      name
    }
    owner {
      name
    }
    lastSeen
  }
`);
export const findingsQuery = graphql(
  `
    query EstateFindings(
      $state: EstateFindingState
      $severities: [EstateSeverity!]
      $rules: [EstateFindingRule!]
      $fileId: ID
      $serverId: ID
      $first: Int!
      $after: String
    ) {
      estateFindings(
        state: $state
        severities: $severities
        rules: $rules
        fileId: $fileId
        serverId: $serverId
        first: $first
        after: $after
      ) {
        nodes {
          ...FindingNode
        }
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [findingNode],
);
export type FindingNode = ResultOf<typeof findingNode>;
export type FindingFilter = Omit<VariablesOf<typeof findingsQuery>, 'first' | 'after'>;
