import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { webhookJson } from '../source-kit/webhook-json.js';
import { isSignedDelivery } from '../source-kit/webhook-signature.js';

/** The page or data source that a webhook names. The sync loads its current state, so the order of webhooks does not matter. */
export const notionHint = z.object({
  object: z.enum(['page', 'data_source']),
  id: z.uuid(),
});
export type NotionHint = z.output<typeof notionHint>;

const verification = z.object({ verification_token: z.string().regex(/^[\w-]{8,200}$/) });
const event = z.object({
  id: z.string().min(1).max(100),
  type: z.string(),
  entity: z.object({ id: z.string(), type: z.string() }),
  data: z.object({ page_id: z.string().optional() }).optional().catch(undefined),
});
type NotionEvent = z.output<typeof event>;

/** Events that change documents. Those of views and file uploads do not. */
const documentEvents = /^(page|data_source|database|comment)\./;

/**
 * Notion signs events with a token that it sends unasked in its first request. Anyone can send such a request, so the
 * token is only offered to administrators.
 */
export async function receiveNotion(
  { secret }: ConnectionContext,
  { headers, body }: SourceDelivery,
): Promise<SourceNotification | null> {
  const payload = webhookJson(body);
  const signature = headers['x-notion-signature'];
  const isSignedWith = (token: string | undefined) =>
    isSignedDelivery({ signed: [body], secret: token, signature, prefix: 'sha256=' });
  const offered = verification.safeParse(payload).data?.verification_token;
  if (offered !== undefined) {
    if (signature !== undefined && !isSignedWith(offered)) return null;
    return { id: `verification ${offered}`, hints: null, offeredToken: offered };
  }
  if (!isSignedWith(secret('webhookToken')?.trim())) return null;
  const read = event.safeParse(payload).data;
  return read ? { id: read.id, hints: hintsOf(read) } : null;
}

/** Empty if the changed document is unknown: older versions of Notion's API name databases, which have several data sources. */
function hintsOf({ type, entity, data }: NotionEvent): JsonObject[] | null {
  if (!documentEvents.test(type)) return null;
  const hint = type.startsWith('comment.')
    ? { object: 'page', id: data?.page_id }
    : { object: entity.type, id: entity.id };
  const { data: known } = notionHint.safeParse(hint);
  return known ? [{ ...known }] : [];
}
