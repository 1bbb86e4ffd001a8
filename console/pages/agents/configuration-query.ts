import { useQuery, type UseQueryExecute, type UseQueryState } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';

const query = graphql(`
  query Configuration($id: ID!) {
    configuration(id: $id) {
      id
      name
      description
      modelConnectionId
      unprefixed
      revision
      pausedAt
      createdAt
      a2aUrl
      mcpUrl
      assistantsUrl
      groups {
        id
        name
      }
      connections {
        id
        name
        slug
      }
      agents {
        id
        name
        pausedAt
        createdAt
        responsibleMember {
          id
          name
          status
        }
        keys {
          id
          hint
          createdAt
          expiresAt
          pausedAt
          replacedAt
          revokedAt
          usedAt
        }
      }
    }
  }
`);

type ConfigurationData = ResultOf<typeof query>;
export type Configuration = ConfigurationData['configuration'];
export type Agent = Configuration['agents'][number];
export type A2aKey = Agent['keys'][number];

/** One configuration, for all tabs of its page. Refetches on change events. */
export function useConfiguration(id: string): [UseQueryState<ConfigurationData>, UseQueryExecute] {
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['configuration', 'connection'], () => refetch({ requestPolicy: 'network-only' }));
  return [result, refetch];
}
