import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isSignedDelivery } from '../source-kit/webhook-signature.js';
import { webhookJson } from '../source-kit/webhook-json.js';

const maxAgeMs = 60_000;
const id = z
  .string()
  .regex(/^[\w-]{1,100}$/)
  .optional()
  .catch(undefined);
const delivery = z.object({
  type: z.string(),
  webhookTimestamp: z.number(),
  data: z.object({ id, issueId: id, projectId: id }).optional().catch(undefined),
  updatedFrom: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
type LinearDelivery = z.infer<typeof delivery>;

/** Fields that determine the readers of an object. */
const accessFields = ['teamId', 'parentId', 'inheritsSharedAccess', 'sharedAccess', 'teamIds', 'visibility', 'private'];
const rosterTypes = new Set(['User', 'Team', 'TeamMembership', 'TeamAccess']);

/** https://linear.app/developers/webhooks */
export function receiveLinearWebhook(
  context: ConnectionContext,
  { headers, body }: SourceDelivery,
  now = Date.now(),
): SourceNotification | null {
  const secret = context.secret('webhookSecret');
  if (!isSignedDelivery({ signed: [body], secret, signature: headers['linear-signature'] })) return null;
  const read = delivery.safeParse(webhookJson(body));
  if (!read.success || Math.abs(now - read.data.webhookTimestamp) > maxAgeMs) return null;
  const { type, updatedFrom = {} } = read.data;
  const isRosterStale = rosterTypes.has(type) || accessFields.some((field) => field in updatedFrom);
  return {
    // not the header with the id of the delivery, because it is not signed and a replay could change it
    id: sha256(body).toString('hex'),
    hints: hintsOf(read.data),
    ...(isRosterStale && { isRosterStale }),
  };
}

/** The changed document. Its content is loaded from Linear and never taken from the webhook. */
function hintsOf({ type, data }: LinearDelivery): JsonObject[] | null {
  const changed: Record<string, [kind: string, id: string | undefined]> = {
    Issue: ['issue', data?.id],
    Comment: data?.issueId ? ['issue', data.issueId] : ['project', data?.projectId],
    Project: ['project', data?.id],
    ProjectUpdate: ['project', data?.projectId],
    Document: ['document', data?.id],
  };
  if (!Object.hasOwn(changed, type)) return type === 'Team' ? [] : null;
  const [kind, target] = changed[type];
  return target ? [{ kind, id: target }] : [];
}
