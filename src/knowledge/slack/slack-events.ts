import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isRecentTimestamp, isSignedDelivery } from '../source-kit/webhook-signature.js';
import { webhookJson } from '../source-kit/webhook-json.js';

const maxAgeSeconds = 5 * 60;

const id = z.string().min(1).max(100);
const text = z.string().optional().catch(undefined);
const message = z.object({ ts: text, thread_ts: text }).optional().catch(undefined);
const delivery = z.object({
  type: z.string(),
  challenge: z.string().max(1000).optional(),
  event_id: id.optional(),
  /** The installation of the app that receives the event. */
  authorizations: z
    .array(z.object({ user_id: z.string() }))
    .optional()
    .catch(undefined),
  event: z
    .object({
      type: z.string(),
      subtype: text,
      channel: z.unknown().optional(),
      user: z.unknown().optional(),
      ts: text,
      thread_ts: text,
      deleted_ts: text,
      message,
      previous_message: message,
    })
    .optional(),
});
type SlackDelivery = z.infer<typeof delivery>;
type SlackEvent = NonNullable<SlackDelivery['event']>;

/** Events that change the readers of a channel. */
const rosterEvents =
  /^(member_(joined|left)_channel|channel_(archive|unarchive|deleted|rename|shared|unshared|id_changed|left|created)|group_(archive|unarchive|deleted|rename|left|open|close)|team_join|user_change|user_profile_changed|app_uninstalled|tokens_revoked)$/;

/** Notices in a channel whose readers changed. Apps receive them with the messages, without another subscription. */
const rosterNotices = /^((channel|group)_(join|leave|archive|unarchive)|channel_convert_to_(private|public))$/;

/** Receives a request of the Events API. https://docs.slack.dev/apis/events-api */
export function receiveSlackEvent(
  context: ConnectionContext,
  { headers, body }: SourceDelivery,
): SourceNotification | null {
  const timestamp = headers['x-slack-request-timestamp'];
  const isAuthentic =
    isRecentTimestamp(timestamp, maxAgeSeconds) &&
    isSignedDelivery({
      signed: [`v0:${timestamp}:`, body],
      secret: context.secret('signingSecret'),
      signature: headers['x-slack-signature'],
      prefix: 'v0=',
    });
  const read = isAuthentic ? delivery.safeParse(webhookJson(body)) : null;
  if (!read?.success) return null;
  const { type, challenge, event_id, event, authorizations } = read.data;
  // the id includes the timestamp, because each repeated request needs a reply
  if (type === 'url_verification')
    return {
      id: `verification ${sha256(body).toString('hex')} ${timestamp}`,
      hints: null,
      reply: { challenge: challenge ?? '' },
    };
  // Slack dropped events, so start a sync without hints
  if (type === 'app_rate_limited') return { id: `limited ${timestamp}`, hints: [] };
  if (type !== 'event_callback' || !event_id || !event) return null;
  const isRosterStale =
    rosterEvents.test(event.type) || (event.type === 'message' && rosterNotices.test(event.subtype ?? ''));
  return { id: event_id, hints: hintsOf(event, authorizations), ...(isRosterStale && { isRosterStale }) };
}

/** The thread of an event. Its content is loaded from Slack and never taken from the event. */
function hintsOf(event: SlackEvent, authorizations: SlackDelivery['authorizations']): JsonObject[] | null {
  const { type, channel, user, ts, thread_ts, deleted_ts, message, previous_message } = event;
  // if the app was invited to a channel, start a sync without hints
  const isInvitation = type === 'member_joined_channel' && authorizations?.some(({ user_id }) => user_id === user);
  if (isInvitation || /^(channel|group)_/.test(type)) return [];
  if (type !== 'message') return null;
  if (typeof channel !== 'string') return [];
  const changed = message ?? previous_message;
  const thread = changed?.thread_ts ?? thread_ts ?? changed?.ts ?? deleted_ts ?? ts;
  const isUsable = /^\w{1,30}$/.test(channel) && thread !== undefined && /^\d{1,12}\.\d{1,6}$/.test(thread);
  return isUsable ? [{ channel, thread }] : [];
}
