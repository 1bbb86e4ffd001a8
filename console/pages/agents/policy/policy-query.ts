import { useQuery, type UseQueryExecute, type UseQueryState } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useNews } from '../../../api/live.ts';

const query = graphql(`
  query Policy($id: ID!) {
    policy(configurationId: $id) {
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
      agents {
        id
        name
      }
    }
  }
`);

type Answer = ResultOf<typeof query>;
export type Policy = Answer['policy'];
export type Vocabulary = Answer['policyVocabulary'] & { agents: { id: string; name: string }[] };

export function usePolicy(id: string): [UseQueryState<Answer>, UseQueryExecute] {
  const [asked, again] = useQuery({ query, variables: { id } });
  useNews(['policy', 'connection', 'configuration'], () => again({ requestPolicy: 'network-only' }));
  return [asked, again];
}
