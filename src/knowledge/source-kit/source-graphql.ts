import { z } from 'zod';
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import type { SourceClient, SourceRequest } from './source-client.js';
import { SourceRequestError, type SourceRequestFault } from './source-request.error.js';

export interface GraphqlRequest<T> extends Pick<SourceRequest<T>, 'path' | 'headers' | 'bucket' | 'maxBytes'> {
  query: string;
  variables?: Record<string, unknown>;
  data: z.ZodType<T>;
  /** A mutation: it is not repeated after it was sent. */
  isWrite?: boolean;
  /** Errors with the fault "missing" leave a null in the data instead. */
  toleratesMissing?: boolean;
  /** The fault of an error, by its `type` or `extensions.code`, and its message. Undefined: refused. */
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

/** Errors arrive with status 200, too. Any error fails the request, because partial data would look like deletions. */
export async function requestGraphql<T>(client: SourceClient, request: GraphqlRequest<T>): Promise<T> {
  const { query, variables = {}, data, isWrite, toleratesMissing, faultOf, ...rest } = request;
  const schema = z.object({ data: z.unknown().optional(), errors: z.array(graphqlError).nullish() });
  const { body, status } = await client.request({
    ...rest,
    method: 'POST',
    isRead: !isWrite,
    body: { query, variables },
    schema,
  });
  for (const { type, extensions, message } of body.errors ?? []) {
    const fault = faultOf?.(type ?? extensions?.code ?? '', message) ?? 'refused';
    if (fault === 'missing' && toleratesMissing) continue;
    const quote = quoteExternalText(message, 200);
    throw new SourceRequestError(fault, `The query was refused: ${quote}`, status, true, quote);
  }
  const result = data.safeParse(body.data);
  if (result.success) return result.data;
  const field = result.error.issues[0].path.join('.') || 'data';
  throw new SourceRequestError('unreadable', `The answer to a query has no valid ${field}.`, status, true);
}
