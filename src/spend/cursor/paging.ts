import { isPlainObject } from './parse-response.js';

/** Where a page stands in its list. */
export interface PagePosition {
  hasNext: boolean;
  /** How many there are in all, by the vendor's count. */
  total: number | undefined;
}

/** The vendor's envelopes differ in names, and older ones have none: then it is the only page. */
export function pagePositionOf(answer: Record<string, unknown>, page: number, total: unknown): PagePosition {
  const pagination = isPlainObject(answer.pagination) ? answer.pagination : answer;
  const { hasNextPage, totalPages, numPages = totalPages } = pagination;
  return {
    hasNext: typeof hasNextPage === 'boolean' ? hasNextPage : typeof numPages === 'number' && page < numPages,
    total: typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined,
  };
}

/** No list is that long: somebody answers with a next page for ever. */
export const maxListPages = 5000;
/** One after the other, of users who did nothing. */
export const maxEmptyPages = 1000;
/** How often a list is read anew that changed while it was read. */
export const maxReadPasses = 3;
