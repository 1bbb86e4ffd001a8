import { isPlainObject } from './parse-response.js';

/** Position of a page in its list. */
export interface PagePosition {
  hasNext: boolean;
  /** The vendor's count of all entries. */
  total: number | undefined;
}

/** Field names differ between endpoints. Older responses have no pagination and are the only page. */
export function pagePositionOf(answer: Record<string, unknown>, page: number, total: unknown): PagePosition {
  const pagination = isPlainObject(answer.pagination) ? answer.pagination : answer;
  const { hasNextPage, totalPages, numPages = totalPages } = pagination;
  return {
    hasNext: typeof hasNextPage === 'boolean' ? hasNextPage : typeof numPages === 'number' && page < numPages,
    total: typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined,
  };
}

/** Guards against a vendor that always reports a next page. No real list is that long. */
export const maxListPages = 5000;
/** Consecutive pages of users without usage. */
export const maxEmptyPages = 1000;
/** Limits how often a list is read if it changes during the read. */
export const maxReadPasses = 3;
