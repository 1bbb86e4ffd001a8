import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { isUnreviewed } from '../../features/integrations/tool-status.tsx';

const query = graphql(`
  query IntegrationTools($id: ID!) {
    connection(id: $id) {
      id
      tools {
        id
        name
        title
        description
        effect
        annotations
        suggestedEffect
        isClaimedDestructive
        definitionHash
        isPendingReview
        operation
        confirmedAt
        pausedAt
        goneAt
      }
    }
  }
`);

export type Tool = ResultOf<typeof query>['connection']['tools'][number];

/** The tools of an integration. Refetches on change events. */
export function useTools(id: string) {
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents('connection', () => refetch({ requestPolicy: 'network-only' }));
  return [result, refetch] as const;
}

/** Its changed definition has to be compared with the confirmed one. */
export const isBlocked = ({ isPendingReview, goneAt }: Tool): boolean => isPendingReview && !goneAt;

/** It can be confirmed together with others: there is no earlier definition to compare with. */
export const isNew = (tool: Tool): boolean => isUnreviewed(tool) && !isBlocked(tool);

export const needsReview = (tool: Tool): boolean => isNew(tool) || isBlocked(tool);
