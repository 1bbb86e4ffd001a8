import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { type ChosenRange, rangeOf } from './range.ts';

/** The range in the address, which all reports share. */
export function useReportRange(): ChosenRange {
  const [params] = useSearchParams();
  const key = params.toString();
  return useMemo(() => rangeOf(new URLSearchParams(key)), [key]);
}
