import { useQuery, type UseQueryExecute, type UseQueryState } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';

/** The published policy and the draft. */
export const policyVersions = graphql(`
  fragment PolicyVersions on ConfigurationPolicy @_unmask {
    current {
      revision
      text
      publisher
      publishedAt
    }
    draft {
      text
      basedOn
      saver
      savedAt
    }
  }
`);

const query = graphql(
  `
    query Policy($id: ID!) {
      policy(configurationId: $id) {
        ...PolicyVersions
      }
      policyVocabulary(configurationId: $id) {
        tools {
          name
          effect
          connection
          attributes {
            path
            type
            values
          }
        }
        connections
        groups {
          id
          name
        }
        steps
      }
      configuration(id: $id) {
        id
        name
        agents {
          id
          name
        }
      }
    }
  `,
  [policyVersions],
);

type PolicyData = ResultOf<typeof query>;
export type Policy = PolicyData['policy'];
export type Vocabulary = PolicyData['policyVocabulary'] & { agents: { id: string; name: string }[] };

export function usePolicy(id: string): [UseQueryState<PolicyData>, UseQueryExecute] {
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['policy', 'connection', 'configuration'], () => refetch({ requestPolicy: 'network-only' }));
  return [result, refetch];
}
