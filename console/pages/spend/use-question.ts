import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { today } from '../../../src/spend/reports/day-range.ts';
import { type Compared, periodOf, rangeOf } from './period.ts';

/** What is left out of a report, as the API takes it. */
export interface Where {
  groupIds?: string[];
  costCentreIds?: string[];
  connectionIds?: string[];
}

export interface Question extends Compared {
  where: Where;
}

export const filters = { group: 'groupIds', centre: 'costCentreIds', connection: 'connectionIds' } as const;

/** Days and filters of the address: every page of spend is about the same ones until somebody changes them. */
export function useQuestion(): Question {
  const [params] = useSearchParams();
  const key = params.toString();
  return useMemo(() => {
    const given = new URLSearchParams(key);
    const own = { from: given.get('from') ?? undefined, to: given.get('to') ?? undefined };
    const where: Where = {};
    for (const [name, field] of Object.entries(filters)) {
      const ids = given.getAll(name);
      if (ids.length) where[field] = ids;
    }
    return { ...rangeOf(periodOf(given.get('period')), today(), own), where };
  }, [key]);
}

/** The same question about one group, cost centre or connection alone. */
export function narrowedTo(search: string, name: keyof typeof filters, id: string): string {
  const params = new URLSearchParams(search);
  params.set(name, id);
  return `?${params}`;
}
