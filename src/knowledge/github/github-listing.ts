import type { z } from 'zod';
import { updatedSince, type ConditionalSince, type UpdatedPage } from '../source-kit/updated-since.js';
import type { GithubApi } from './github-api.js';

/** A list of GitHub in the order of changes. An unchanged list (304) costs no quota. */
export function githubUpdatedSince<T extends { id: number; updated_at: string }>(
  api: GithubApi,
  { path, query, item }: { path: string; query?: Record<string, string>; item: z.ZodType<T> },
  since: ConditionalSince,
  onEtag?: (etag: string | undefined) => void,
): AsyncGenerator<UpdatedPage<T>> {
  const sorted = { ...query, sort: 'updated', direction: 'asc' };
  return updatedSince(api.rest, { path, query: sorted, sinceParameter: 'since', item }, since, onEtag);
}
