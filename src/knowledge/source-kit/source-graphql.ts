import { z } from 'zod';
import type { SourceClient, SourceRequest } from './source-client.js';
import { SourceRequestError, type SourceRequestFault } from './source-request.error.js';

export interface GraphqlRequest<T> extends Pick<SourceRequest<T>, 'path' | 'headers' | 'bucket' | 'maxBytes'> {
  query: string;
  variables?: Record<string, unknown>;
  data: z.ZodType<T>;
  /** A mutation, which is not retried once it was sent. */
  isWrite?: boolean;
  /** Ignores errors with the fault "missing". The data contains null instead. */
  toleratesMissing?: boolean;
  /** Maps an error by its `type` or `extensions.code` and its message. Default: "refused". */
  faultOf?: (code: string, message: string) => SourceRequestFault | undefined;
}

const graphqlError = z.object({
  message: z.string().catch(''),
  type: z.string().optional().catch(undefined),
  extensions: z
    .object({ code: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * Sends a query. Errors can have status 200. Any error fails the request, because missing data would look like deleted
 * documents.
 */
export async function requestGraphql<T>(client: SourceClient, request: GraphqlRequest<T>): Promise<T> {
  const { query, variables = {}, data, isWrite, toleratesMissing, faultOf, ...rest } = request;
  const schema = z.object({ data: z.unknown().optional(), errors: z.array(graphqlError).nullish() });
  const { body, status, quote } = await client.request({
    ...rest,
    method: 'POST',
    isRead: !isWrite,
    body: { query, variables },
    schema,
  });
  for (const { type, extensions, message } of body.errors ?? []) {
    const fault = faultOf?.(type ?? extensions?.code ?? '', message) ?? 'refused';
    if (fault === 'missing' && toleratesMissing) continue;
    const quoted = quote(message);
    throw new SourceRequestError(fault, `${client.system} rejects the query: ${quoted}`, status, true, quoted);
  }
  const result = data.safeParse(body.data);
  if (result.success) return result.data;
  const field = result.error.issues[0].path.join('.') || 'data';
  throw new SourceRequestError(
    'unreadable',
    `${client.system} answered a query without a valid ${field}.`,
    status,
    true,
  );
}
