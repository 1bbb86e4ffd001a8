import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { SourceClient } from '../source-kit/source-client.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';
import { type CursorPage, pagesByCursor } from '../source-kit/source-pages.js';
import { SourceRequestError } from '../source-kit/source-request.error.js';
import { notionList } from './notion-wire.js';

export const defaultNotionAddress = 'https://api.notion.com';
const apiVersion = '2025-09-03';
const pageSize = 100;

export interface NotionApiOptions {
  /** The minimum time between two requests. Notion allows three a second on average. */
  paceMs: number;
  maxWaitMs: number;
  retryDelayMs: number;
}

/** A list to read: with POST if there is a body, as for searches and queries. */
export interface NotionListRequest {
  path: string;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

export interface NotionListPage<T> extends CursorPage<T> {
  /** Notion ends the list here, although there is more. */
  isCutOff: boolean;
}

/** A client of Notion's API for one pass. */
export class NotionApi {
  private readonly client: SourceClient;
  private nextAt = 0;

  constructor({ settings, outgoing, signal, secret }: ConnectionContext, options: NotionApiOptions) {
    const token = secret('token') ?? '';
    const address = typeof settings.url === 'string' && settings.url ? settings.url : defaultNotionAddress;
    this.client = new SourceClient({
      system: 'Notion',
      baseUrl: trimTrailing(address, '/'),
      outgoing,
      signal,
      headers: { 'notion-version': apiVersion },
      authorize: async () => {
        await this.pace(options.paceMs, signal);
        return { authorization: `Bearer ${token}` };
      },
      readLimits: readNotionLimits,
      maxWaitMs: options.maxWaitMs,
      retryDelayMs: options.retryDelayMs,
    });
  }

  /** Throws `SourceRequestError` and `SourcePaused`, as do all other methods. */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.client.get(path, schema);
  }

  /** One page of a search. */
  async search<T>(body: Record<string, unknown>, schema: z.ZodType<T>): Promise<T> {
    return (await this.client.request({ method: 'POST', path: '/v1/search', body, schema, isRead: true })).body;
  }

  async *pages<T extends z.ZodType>(
    { path, query, body }: NotionListRequest,
    item: T,
    from?: string | null,
  ): AsyncGenerator<NotionListPage<z.infer<T>>> {
    let isCutOff = false;
    const schema = notionList(item);
    const pages = pagesByCursor<z.infer<T>>(async (cursor) => {
      const place = { page_size: pageSize, ...(cursor !== null && { start_cursor: cursor }) };
      const answer = await this.client.request<z.infer<typeof schema>>(
        body
          ? { method: 'POST', path, query, body: { ...body, ...place }, schema, isRead: true }
          : { path, query: { ...query, ...place }, schema },
      );
      const { results, has_more: hasMore, next_cursor: next, request_status: status } = answer.body;
      if (hasMore && !next)
        throw new SourceRequestError('unreadable', 'Notion announced another page without a cursor.', 200, true);
      isCutOff = status?.type === 'incomplete';
      return { items: results as z.infer<T>[], next: hasMore ? next! : null };
    }, from);
    for await (const page of pages) yield { ...page, isCutOff };
  }

  async all<T extends z.ZodType>(request: NotionListRequest, item: T): Promise<z.infer<T>[]> {
    const items: z.infer<T>[] = [];
    for await (const page of this.pages(request, item)) items.push(...page.items);
    return items;
  }

  private async pace(paceMs: number, signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const start = Math.max(now, this.nextAt);
    this.nextAt = start + paceMs;
    if (start > now) await after(start - now, undefined, { signal });
  }
}

const defaultWaitMs = 1000;

/** Notion rejects requests over its limit with status 429, and with 529 while it is overloaded. */
export function readNotionLimits({ status, headers, rejections, now }: LimitedAnswer): LimitReading {
  if (status !== 429 && status !== 529) return {};
  return { retryAt: retryAfterIn(headers, now) ?? new Date(now + defaultWaitMs * 2 ** rejections) };
}
