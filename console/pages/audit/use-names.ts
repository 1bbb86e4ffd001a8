import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useMay } from '../../kit/me.tsx';

const actorsQuery = graphql(`
  query AuditActors {
    auditActors {
      id
      kind
      name
    }
  }
`);
const configurationsQuery = graphql(`
  query AuditConfigurationNames {
    configurations(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);
const connectionsQuery = graphql(`
  query AuditConnectionNames {
    connections(first: 200) {
      nodes {
        id
        name
      }
    }
  }
`);

const requestPolicy = 'cache-first';

/** Everybody who has acted, with the most recent name. */
export function useActors() {
  const [{ data }] = useQuery({ query: actorsQuery, requestPolicy });
  return data?.auditActors ?? [];
}

/** Current names by id, limited to what the person can read. */
export function useNames(): ReadonlyMap<string, string> {
  const may = useMay();
  const actors = useActors();
  const [configurations] = useQuery({ query: configurationsQuery, requestPolicy, pause: !may('policies:read') });
  const [connections] = useQuery({ query: connectionsQuery, requestPolicy, pause: !may('connections:manage') });
  const known = [
    ...actors,
    ...(configurations.data?.configurations.nodes ?? []),
    ...(connections.data?.connections.nodes ?? []),
  ];
  return new Map(known.map(({ id, name }) => [id, name]));
}
