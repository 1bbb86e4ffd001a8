import { graphql, type ResultOf } from '../../api/graphql.ts';

export const identitiesQuery = graphql(`
  query SpendIdentities($state: SpendIdentityState, $search: String, $first: Int!, $after: String) {
    spendIdentities(state: $state, search: $search, first: $first, after: $after) {
      nodes {
        id
        kind
        key
        name
        firstSeen
        hasSeat
        matchedBy
        person {
          id
          name
        }
        suggestions {
          reason
          person {
            id
            name
            email
          }
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export type Identity = ResultOf<typeof identitiesQuery>['spendIdentities']['nodes'][number];
