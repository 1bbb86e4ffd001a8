import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const memberQuery = graphql(`
  query Member($id: ID!) {
    member(id: $id) {
      id
      name
      email
      roles
      status
      joinedAt
      groups {
        id
        name
      }
    }
  }
`);
export type Member = ResultOf<typeof memberQuery>['member'];
