import { isObject } from './parse-answer.js';

/** Where a page stands in its list. */
export interface Place {
  hasNext: boolean;
  /** How many there are in all, by the vendor's count. */
  total: number | undefined;
}

/** The vendor's envelopes differ in names, and older ones have none: then it is the only page. */
export function placeOf(answer: Record<string, unknown>, page: number, total: unknown): Place {
  const pagination = isObject(answer.pagination) ? answer.pagination : answer;
  const { hasNextPage, totalPages, numPages = totalPages } = pagination;
  return {
    hasNext: typeof hasNextPage === 'boolean' ? hasNextPage : typeof numPages === 'number' && page < numPages,
    total: typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined,
  };
}

/** No list is that long: somebody answers with a next page for ever. */
export const mostPages = 5000;
/** One after the other, of users who did nothing. */
export const mostEmptyPages = 1000;
/** How often a list is read anew that changed while it was read. */
export const mostReadings = 3;
