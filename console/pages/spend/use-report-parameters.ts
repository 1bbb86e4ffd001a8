import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { today } from '../../../src/platform/time/day.ts';
import { type Compared, isRange, periodOf, rangeOf } from './period.ts';

/** The filter input of a report. */
export interface ReportFilter {
  groupIds?: string[];
  costCentreIds?: string[];
  connectionIds?: string[];
  personIds?: string[];
}

export interface ReportParameters extends Compared {
  where: ReportFilter;
  /** The custom range in the query parameters is invalid. */
  isFallback: boolean;
}

export const filterFields = {
  group: 'groupIds',
  centre: 'costCentreIds',
  connection: 'connectionIds',
  person: 'personIds',
} as const;

/** Period and filters from the query parameters; all spend pages share them. */
export function useReportParameters(): ReportParameters {
  const [params] = useSearchParams();
  const key = params.toString();
  return useMemo(() => {
    const parameters = new URLSearchParams(key);
    const own = { from: parameters.get('from') ?? undefined, to: parameters.get('to') ?? undefined };
    const where: ReportFilter = {};
    for (const [name, field] of Object.entries(filterFields)) {
      const ids = parameters.getAll(name);
      if (ids.length) where[field] = ids;
    }
    const period = periodOf(parameters.get('period'));
    const isFallback = period === 'own' && !isRange(own);
    return { ...rangeOf(period, today(), own), where, isFallback };
  }, [key]);
}

/** The query parameters with one filter set to a single id. */
export function withFilter(search: string, name: keyof typeof filterFields, id: string): string {
  const params = new URLSearchParams(search);
  params.set(name, id);
  return `?${params}`;
}
