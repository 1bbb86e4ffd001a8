import { graphql, type ResultOf } from '../../api/graphql.ts';
import { entryFields } from './definition.tsx';

export const fileQuery = graphql(
  `
    query EstateFile($id: ID!) {
      estateFile(id: $id) {
        id
        path
        client
        kind
        scope
        status
        size
        firstSeen
        lastSeen
        changedAt
        modifiedAt
        goneAt
        version
        source {
          id
          name
        }
        owner {
          name
          email
        }
        problems {
          place
          reason
        }
        oddities {
          kind
          place
          detail
        }
        entries {
          ...EntryFields
        }
        versions {
          number
          seenAt
          status
          isGone
          entries
          problems {
            place
            reason
          }
        }
      }
    }
  `,
  [entryFields],
);
export type EstateFile = ResultOf<typeof fileQuery>['estateFile'];
