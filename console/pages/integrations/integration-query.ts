import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';

const query = graphql(`
  query Integration($id: ID!) {
    connection(id: $id) {
      id
      kind
      name
      slug
      status
      statusReason
      verifiedAt
      pausedAt
      createdAt
      changedAt
      changedBy {
        id
        name
      }
      revision
      settings
      credentials
      webhookUrl
      resultRules {
        secrets
        personalData
        protectedFields
        size
        maxKilobytes
      }
    }
  }
`);

export type Integration = ResultOf<typeof query>['connection'];

/** One integration. Refetches on change events. */
export function useIntegration(id: string) {
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents('connection', () => refetch({ requestPolicy: 'network-only' }), id);
  return [result, refetch] as const;
}
