import { useEffect, useState } from 'react';
import { type Client, useClient } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';

const unitsQuery = graphql(`
  query SpendUnits($kind: SpendUnitKind, $after: String) {
    spendUnits(kind: $kind, first: 200, after: $after) {
      nodes {
        id
        kind
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
export type Unit = ResultOf<typeof unitsQuery>['spendUnits']['nodes'][number];
export type UnitKind = Unit['kind'];

/** All groups or cost centres by name; null until loaded. */
export function useUnits(kind?: UnitKind): { units: Unit[] | null; refetch(): void } {
  const client = useClient();
  const [units, setUnits] = useState<Unit[] | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    void allUnits(client, kind).then((loaded) => isCurrent && setUnits(loaded));
    return () => void (isCurrent = false);
  }, [client, kind, turn]);
  const refetch = () => setTurn((turn) => turn + 1);
  useChangeEvents('spend', refetch);
  return { units, refetch };
}

async function allUnits(client: Client, kind?: UnitKind): Promise<Unit[]> {
  const units: Unit[] = [];
  for (let after: string | null = null; ;) {
    const { data } = await client.query(unitsQuery, { kind, after }, { requestPolicy: 'network-only' }).toPromise();
    units.push(...(data?.spendUnits.nodes ?? []));
    if (!data?.spendUnits.pageInfo.hasNextPage) return units;
    after = data.spendUnits.pageInfo.endCursor;
  }
}
