import { useQuery } from 'urql';
import { actorsQuery } from './event-query.ts';

/** Who ever acted, by the name that they last acted under. */
export function useActors() {
  const [{ data }] = useQuery({ query: actorsQuery, requestPolicy: 'cache-first' });
  return data?.auditActors ?? [];
}
