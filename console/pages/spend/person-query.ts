import { graphql, type ResultOf } from '../../api/graphql.ts';

export const personFields = graphql(`
  fragment PersonFields on SpendPerson @_unmask {
    id
    name
    email
    memberId
    groupId
    costCentreId
    aliases
    removedAt
    version
  }
`);

export const personQuery = graphql(
  `
    query SpendPerson($id: ID!) {
      spendPerson(id: $id) {
        ...PersonFields
      }
    }
  `,
  [personFields],
);

export type Person = ResultOf<typeof personFields>;
