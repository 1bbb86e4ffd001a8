import { z } from 'zod';
import type { SourceAnswer } from '../source-kit/source-client.js';
import { nextLink } from '../source-kit/source-pages.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import type { GithubApi } from './github-api.js';

/** The `since` of a list and its ETag. An unchanged list (304) costs no quota. */
export interface ConditionalSince {
  since: string | null;
  etag?: string;
}

export interface GithubUpdatedPage<T> {
  items: T[];
  /** All changes before this time were yielded. */
  reached: string | null;
}

const pageSize = 100;

interface Updated {
  id: number;
  updated_at: string;
}

/**
 * Reads a list that is sorted by time of change, the oldest first. It continues by time and not by page number, because
 * items that change or disappear during the pass shift the pages, so that others would be skipped.
 */
export async function* githubUpdatedSince<T extends Updated>(
  api: GithubApi,
  list: { path: string; query?: Record<string, string>; item: z.ZodType<T> },
  { since, etag }: ConditionalSince,
  /** Called with the ETag of the list, unless it is unchanged. Undefined if it does not cover the whole list. */
  onEtag: (etag: string | undefined) => void = () => undefined,
): AsyncGenerator<GithubUpdatedPage<T>> {
  const schema = z.array(list.item);
  const query = { ...list.query, sort: 'updated', direction: 'asc', per_page: pageSize };
  let reached = since;
  let link: string | null = null;
  /** Items that changed exactly at `reached`. The next page repeats them. */
  let repeated = new Set<number>();
  for (let isFirst = true; ; isFirst = false) {
    const request: { path: string; query?: Record<string, string | number | undefined> } = link
      ? { path: link }
      : { path: list.path, query: { ...query, since: reached ?? undefined } };
    const answer: SourceAnswer<T[]> = await api.rest.request({ ...request, schema, etag: isFirst ? etag : undefined });
    if (answer.isUnchanged) return;
    const items = answer.body.filter(({ id }) => !repeated.has(id));
    const next = nextLink(answer.headers.get('link'), answer.url);
    // a full page stays the same when later items are added
    const isWhole = isFirst && next === null && answer.body.length < pageSize;
    if (isFirst) onEtag(isWhole ? (answer.headers.get('etag') ?? undefined) : undefined);
    const last: string | null = answer.body.at(-1)?.updated_at ?? reached;
    if (next !== null && (next === answer.url || (reached !== null && last !== null && last < reached)))
      throw new SourceRequestError('unreadable', `GitHub does not sort ${list.path} by change.`, answer.status, true);
    link = last === reached ? next : null;
    if (last !== reached) repeated = new Set();
    reached = last;
    for (const { id, updated_at } of answer.body) if (updated_at === reached) repeated.add(id);
    yield { items, reached };
    if (next === null) return;
  }
}
