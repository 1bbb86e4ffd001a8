import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { timeRangeOf } from './period.ts';

/** The search of the log, read from the address. */
export interface Search {
  kind: string | null;
  actorId: string | null;
  subjectId: string | null;
  search: string | null;
  from: string | null;
  to: string | null;
}

/** "Last hour" is fixed when it is chosen, so rows don't disappear while a person reads. */
export function useSearch(): Search {
  const [params] = useSearchParams();
  const address = params.toString();
  return useMemo(() => {
    const params = new URLSearchParams(address);
    const of = (name: string) => params.get(name) || null;
    return {
      kind: of('kind'),
      actorId: of('actor'),
      subjectId: of('subject'),
      search: of('search'),
      ...timeRangeOf({ period: of('period'), from: of('from'), to: of('to') }, Date.now()),
    };
  }, [address]);
}

export const isFiltered = (search: Search): boolean => Object.values(search).some((value) => value !== null);

/** The download address of the same events. */
export function exportUrl(search: Search): string {
  const params = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(params).toString();
  return `/console/exports/audit.jsonl${query && `?${query}`}`;
}
