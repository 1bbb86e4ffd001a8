import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { webhookJson } from '../source-kit/webhook-json.js';
import { isRecentTimestamp, isSignedDelivery } from '../source-kit/webhook-signature.js';

const maxAgeSeconds = 2 * 3600;

const confluenceEvent = z.object({ event: z.string().max(100).optional(), timestamp: z.number().optional() });

/** Confluence Data Center signs the body. Only the kind of event is taken from it, so late deliveries are harmless. */
export function readConfluenceWebhook(
  context: ConnectionContext,
  { headers, body }: SourceDelivery,
): SourceNotification | null {
  const isSigned = isSignedDelivery({
    signed: [body],
    secret: context.secret('webhookSecret'),
    signature: headers['x-hub-signature'],
    prefix: 'sha256=',
  });
  const read = isSigned ? confluenceEvent.safeParse(webhookJson(body)) : null;
  if (!read?.success) return null;
  const { event = '', timestamp } = read.data;
  if (timestamp !== undefined && !isRecentTimestamp(String(Math.round(timestamp / 1000)), maxAgeSeconds)) return null;
  return {
    id: sha256(body).toString('hex'),
    hints: changesContents(event) ? [] : null,
    ...(changesReaders(event) && { isRosterStale: true }),
  };
}

const changesContents = (event: string): boolean =>
  /^(page|blog|comment|content|space)_/.test(event) && !event.endsWith('_viewed');

/** Confluence sends no event if the members of a group change. The scheduled roster finds these changes. */
const changesReaders = (event: string): boolean =>
  /_permissions_updated$|^(user|group|space)_|^page_moved$/.test(event);
