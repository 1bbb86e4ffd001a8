import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { SourceClient } from '../source-kit/source-client.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import type { SlackMethod, SlackRateWindows } from './slack-rate-windows.js';
import { SlackRefusal, unreadableSlackAnswer } from './slack-source.error.js';

export const defaultSlackAddress = 'https://slack.com';

export interface SlackApiOptions {
  windows: SlackRateWindows;
  /** The maximum share of each limit to use. 1 if a person waits for the result. */
  share?: number;
  maxWaitMs?: number;
  retryDelayMs?: number;
  quota?: (status: SourceQuota) => void;
}

type Parameters = Record<string, string | number | boolean | undefined>;

/** The fields of every response that report success or failure. */
const outcome = z.looseObject({
  ok: z.boolean(),
  error: z
    .string()
    .regex(/^[\w-]{1,80}$/)
    .catch('unknown_error'),
  needed: z.string().optional().catch(undefined),
});

const attempts = 3;

/** A client of Slack's Web API for one pass or tool call. */
export class SlackSourceApi {
  private readonly clients = new Map<SlackMethod, SourceClient>();
  /** The scopes of the token in the last response. Null if there were none. */
  scopes: readonly string[] | null = null;

  constructor(
    private readonly context: ConnectionContext,
    private readonly options: SlackApiOptions,
  ) {}

  /** Throws `SlackRefusal`, `SourceRequestError` and `SourcePaused`. */
  async read<T>(method: SlackMethod, query: Parameters, schema: z.ZodType<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.send(method, { query, isRead: true }, schema);
      } catch (error) {
        const isTransient = error instanceof SlackRefusal && error.fault === 'unavailable';
        if (!isTransient || attempt === attempts) throw error;
        const { retryDelayMs = 500 } = this.options;
        await after(retryDelayMs * 2 ** attempt, undefined, { signal: this.context.signal });
      }
    }
  }

  /** Writes are not retried. */
  write<T>(method: SlackMethod, body: Record<string, unknown>, schema: z.ZodType<T>): Promise<T> {
    return this.send(method, { method: 'POST', body }, schema);
  }

  /** All entries of a list. Slack may return shorter pages than requested, even empty ones. */
  async *list<P extends { response_metadata?: { next_cursor?: string } }, T>(
    method: SlackMethod,
    query: Parameters,
    schema: z.ZodType<P>,
    itemsOf: (page: P) => T[],
  ): AsyncGenerator<T[]> {
    const pages = pagesByCursor(async (cursor) => {
      const page = await this.read(method, { ...query, cursor: cursor ?? undefined }, schema);
      return { items: itemsOf(page), next: page.response_metadata?.next_cursor || null };
    });
    for await (const { items } of pages) yield items;
  }

  private async send<T>(
    method: SlackMethod,
    request: { method?: 'POST'; query?: Parameters; body?: object; isRead?: boolean },
    schema: z.ZodType<T>,
  ): Promise<T> {
    const { body, headers } = await this.clientOf(method).request({ ...request, path: `/${method}`, schema: outcome });
    const scopes = headers.get('x-oauth-scopes');
    if (scopes !== null) this.scopes = scopes.split(',').map((scope) => scope.trim());
    if (!body.ok) throw new SlackRefusal(body.error, method, body.needed);
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw unreadableSlackAnswer(method, result.error.issues[0].path.join('.'));
  }

  /** Each method has its own rate limit, and therefore its own client. */
  private clientOf(method: SlackMethod): SourceClient {
    const known = this.clients.get(method);
    if (known) return known;
    const { settings, outgoing, signal } = this.context;
    const { windows, share, maxWaitMs, retryDelayMs, quota } = this.options;
    const token = this.context.secret('token') ?? '';
    const address = typeof settings.url === 'string' && settings.url ? settings.url : defaultSlackAddress;
    const client = new SourceClient({
      system: 'Slack',
      baseUrl: `${trimTrailing(address, '/')}/api`,
      outgoing,
      signal,
      authorize: () => ({ authorization: `Bearer ${token}` }),
      readLimits: (answer) => windows.read(token, method, answer),
      share,
      maxWaitMs,
      retryDelayMs,
      // reports only the limits that determine the duration of a sync
      quota: method === 'conversations.history' || method === 'conversations.replies' ? quota : undefined,
    });
    this.clients.set(method, client);
    return client;
  }
}
