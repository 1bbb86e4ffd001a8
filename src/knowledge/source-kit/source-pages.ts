import { z } from 'zod';
import type { SourceAnswer, SourceClient, SourceRequest } from './source-client.js';
import { SourceRequestError } from './source-request.error.js';

export interface SourcePage<T> {
  items: T[];
  /** The link of the next page, for `checkpoint`. Null after the last page. */
  next: string | null;
  answer: SourceAnswer<T[]>;
}

type ListRequest<T> = Omit<SourceRequest<T[]>, 'schema'> & { item: z.ZodType<T> };

/**
 * Follows `Link: rel="next"` (RFC 8288), starting at `from`, the `next` of an earlier page. Throws if a link leads to
 * another server or to a page that was already read, because an incomplete list would remove documents.
 */
export async function* pagesByLink<T>(
  client: SourceClient,
  { item, ...request }: ListRequest<T>,
  from?: string | null,
): AsyncGenerator<SourcePage<T>> {
  const schema = z.array(item);
  const visited = new Set<string>();
  let link = from ?? null;
  do {
    const answer = await client.request(
      link ? { ...request, path: link, query: undefined, schema } : { ...request, schema },
    );
    visited.add(answer.url);
    const next = nextLink(answer.headers.get('link'), answer.url);
    if (next !== null && visited.has(next)) throw repeatedPage();
    yield { items: answer.body, next, answer };
    link = next;
  } while (link !== null);
}

export interface CursorPage<T> {
  items: T[];
  next: string | null;
}

/** Reads pages that contain the next cursor. Throws if a cursor repeats, because the list would never end. */
export async function* pagesByCursor<T>(
  readPage: (cursor: string | null) => Promise<CursorPage<T>>,
  from: string | null = null,
): AsyncGenerator<CursorPage<T>> {
  const visited = new Set<string | null>([from]);
  let cursor = from;
  do {
    const page = await readPage(cursor);
    if (page.next !== null && visited.has(page.next)) throw repeatedPage();
    visited.add(page.next);
    yield page;
    cursor = page.next;
  } while (cursor !== null);
}

const maxLinkHeader = 8192;
const isNext = /;\s*rel=(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next(?=[\s;,]|$))/i;

/** The absolute URL of the link with the relation "next". Null without one. */
export function nextLink(header: string | null, base: string): string | null {
  if (!header) return null;
  // ignoring it would end the list early
  if (header.length > maxLinkHeader)
    throw new SourceRequestError('unreadable', 'The source returned a Link header that is too long.', null, true);
  for (const [, target, parameters] of header.matchAll(/<([^<>]*)>([^<]*)/g))
    if (isNext.test(parameters) && URL.canParse(target, base)) return new URL(target, base).href;
  return null;
}

const repeatedPage = () =>
  new SourceRequestError('unreadable', 'The source returned the same page of a list twice.', null, true);
