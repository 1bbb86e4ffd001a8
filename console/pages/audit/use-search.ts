import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { spanOf } from './period.ts';

/** What the log is searched for, as the address says. */
export interface Search {
  kind: string | null;
  actorId: string | null;
  subjectId: string | null;
  search: string | null;
  from: string | null;
  to: string | null;
}

/** "The last hour" is counted from when it was chosen: what is shown does not slip away while it is read. */
export function useSearch(): Search {
  const [params] = useSearchParams();
  const address = params.toString();
  return useMemo(() => {
    const said = new URLSearchParams(address);
    const of = (name: string) => said.get(name) || null;
    return {
      kind: of('kind'),
      actorId: of('actor'),
      subjectId: of('subject'),
      search: of('search'),
      ...spanOf({ period: of('period'), from: of('from'), to: of('to') }, Date.now()),
    };
  }, [address]);
}

export const isNarrowed = (search: Search): boolean => Object.values(search).some((value) => value !== null);

/** The same events as a file. */
export function exportOf(search: Search): string {
  const said = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(said).toString();
  return `/console/exports/audit.jsonl${query && `?${query}`}`;
}
