import { z } from 'zod';
import type { SourceAnswer, SourceClient } from './source-client.js';
import { nextLink } from './source-pages.js';
import { SourceRequestError } from './source-request.error.js';

/** The start of a list and its ETag. */
export interface ConditionalSince {
  since: string | null;
  etag?: string;
}

export interface UpdatedPage<T> {
  items: T[];
  /** All changes before this time were yielded. */
  reached: string | null;
}

const pageSize = 100;

interface Updated {
  id: number;
  updated_at: string;
}

export interface UpdatedList<T> {
  path: string;
  /** Sorts the list by time of change, the oldest first. */
  query: Record<string, string | number>;
  /** The parameter that names the earliest time of change, inclusive. */
  sinceParameter: string;
  item: z.ZodType<T>;
}

/**
 * Reads a list that is sorted by time of change, the oldest first. It continues by time and not by page number, because
 * items that change or disappear during the pass shift the pages, so that others would be skipped.
 */
export async function* updatedSince<T extends Updated>(
  client: SourceClient,
  { path, query, sinceParameter, item }: UpdatedList<T>,
  { since, etag }: ConditionalSince,
  /** Called with the ETag of the list, unless it is unchanged. Undefined if it does not cover the whole list. */
  onEtag: (etag: string | undefined) => void = () => undefined,
): AsyncGenerator<UpdatedPage<T>> {
  const schema = z.array(item);
  let reached = since;
  let link: string | null = null;
  /** Items that changed exactly at `reached`. The next page repeats them. */
  let repeated = new Set<number>();
  for (let isFirst = true; ; isFirst = false) {
    const request: { path: string; query?: Record<string, string | number | undefined> } = link
      ? { path: link }
      : { path, query: { ...query, per_page: pageSize, [sinceParameter]: reached ?? undefined } };
    const answer: SourceAnswer<T[]> = await client.request({ ...request, schema, etag: isFirst ? etag : undefined });
    if (answer.isUnchanged) return;
    const items = answer.body.filter(({ id }) => !repeated.has(id));
    const next = nextLink(answer.headers.get('link'), answer.url);
    // a full page stays the same when later items are added
    const isWhole = isFirst && next === null && answer.body.length < pageSize;
    if (isFirst) onEtag(isWhole ? (answer.headers.get('etag') ?? undefined) : undefined);
    const last: string | null = answer.body.at(-1)?.updated_at ?? reached;
    const isReversed = reached !== null && last !== null && Date.parse(last) < Date.parse(reached);
    if (next !== null && (next === answer.url || isReversed)) {
      const reason = `${client.system} does not sort ${path} by change.`;
      throw new SourceRequestError('unreadable', reason, answer.status, true);
    }
    link = last === reached ? next : null;
    if (last !== reached) repeated = new Set();
    reached = last;
    for (const { id, updated_at } of answer.body) if (updated_at === reached) repeated.add(id);
    yield { items, reached };
    if (next === null) return;
  }
}
