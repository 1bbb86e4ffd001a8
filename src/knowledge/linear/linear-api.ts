import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { SourceClient } from '../source-kit/source-client.js';
import { requestGraphql } from '../source-kit/source-graphql.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';
import { type CursorPage, pagesByCursor } from '../source-kit/source-pages.js';
import { SourceRequestError, type SourceRequestFault } from '../source-kit/source-request.error.js';
import { linearQueries } from './linear-queries.js';
import { linearPage } from './linear-wire.js';

export const defaultLinearAddress = 'https://api.linear.app';

export interface LinearApiOptions {
  share?: number;
  maxWaitMs?: number;
  retryDelayMs?: number;
  quota?: (status: SourceQuota) => void;
}

const identitySchema = z.object({
  viewer: z.object({ id: z.string(), email: z.string().nullish(), guest: z.boolean() }),
  organization: z.object({ id: z.string(), name: z.string(), urlKey: z.string() }),
});
export type LinearIdentity = z.infer<typeof identitySchema>;

/** A client of Linear's GraphQL API for one pass or tool call. */
export class LinearApi {
  private readonly client: SourceClient;

  constructor(context: ConnectionContext, options: LinearApiOptions) {
    const { settings, outgoing, signal } = context;
    const key = context.secret('apiKey') ?? '';
    this.client = new SourceClient({
      ...options,
      system: 'Linear',
      baseUrl: trimTrailing(addressOf(settings), '/'),
      outgoing,
      signal,
      // personal keys are sent without "Bearer", access tokens of OAuth apps with it
      authorize: () => ({ authorization: key.startsWith('lin_oauth_') ? `Bearer ${key}` : key }),
      readLimits: readLinearLimits,
    });
  }

  /** Throws `SourceRequestError` and `SourcePaused`. */
  query<T>(query: string, variables: Record<string, unknown>, data: z.ZodType<T>, isWrite = false): Promise<T> {
    return requestGraphql(this.client, { path: '/graphql', query, variables, data, isWrite, faultOf });
  }

  identity(): Promise<LinearIdentity> {
    return this.query(linearQueries.identity, {}, identitySchema);
  }

  /** The pages of a list. `inside` names the field of the query that contains it. */
  pages<T extends z.ZodType>(
    query: string,
    node: T,
    variables: Record<string, unknown> & { first: number },
    { from, inside }: { from?: string | null; inside?: string } = {},
  ): AsyncGenerator<CursorPage<z.infer<T>>> {
    const page = z.object({ page: linearPage(node) });
    return pagesByCursor(async (after) => {
      const read = { ...variables, after };
      const { nodes, pageInfo } = inside
        ? ((await this.query(query, read, z.object({ [inside]: page }))) as Record<string, z.infer<typeof page>>)[
            inside
          ].page
        : (await this.query(query, read, page)).page;
      if (pageInfo.hasNextPage && !pageInfo.endCursor)
        throw new SourceRequestError('unreadable', 'Linear announced another page without a cursor.', 200, true);
      return { items: nodes, next: pageInfo.hasNextPage ? pageInfo.endCursor! : null };
    }, from);
  }

  /** All nodes of a list. */
  async all<T extends z.ZodType>(...list: Parameters<typeof this.pages<T>>): Promise<z.infer<T>[]> {
    const nodes: z.infer<T>[] = [];
    for await (const { items } of this.pages(...list)) nodes.push(...items);
    return nodes;
  }
}

const addressOf = ({ url }: Record<string, unknown>): string =>
  typeof url === 'string' && url ? url : defaultLinearAddress;

const faults: Record<string, SourceRequestFault> = {
  AUTHENTICATION_ERROR: 'unauthorized',
  FORBIDDEN: 'forbidden',
  FEATURE_NOT_ACCESSIBLE: 'forbidden',
  INTERNAL_SERVER_ERROR: 'unavailable',
};
const faultOf = (code: string, message: string): SourceRequestFault | undefined =>
  message.startsWith('Entity not found') ? 'missing' : faults[code];

const limitNames = ['requests', 'complexity', 'endpoint-requests'];
/** The wait if Linear does not return the end of the limit. */
const defaultWaitMs = 60_000;

/** Linear returns limits in headers, with times in milliseconds, and rejects requests over a limit with status 400. */
export function readLinearLimits({ headers, body, now }: LimitedAnswer): LimitReading {
  const quotas = limitNames.flatMap((name): SourceQuota[] => {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((part) => {
      const value = headers.get(`x-ratelimit-${name}-${part}`);
      return value === null || value === '' ? NaN : Number(value);
    });
    return [limit, remaining, reset].every(Number.isFinite) ? [{ limit, remaining, resetAt: new Date(reset) }] : [];
  });
  if (!isRateLimited(body)) return { quotas };
  const used = quotas.filter(({ remaining }) => remaining <= 0);
  const ends = (used.length ? used : quotas).map(({ resetAt }) => resetAt.getTime());
  const end = ends.length ? Math.max(now, ...ends) : now + defaultWaitMs;
  const retryAt = retryAfterIn(headers, now) ?? new Date(end);
  return { quotas, retryAt };
}

function isRateLimited(body: unknown): boolean {
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return false;
  return errors.some((error: { extensions?: { code?: unknown } } | null) => error?.extensions?.code === 'RATELIMITED');
}
