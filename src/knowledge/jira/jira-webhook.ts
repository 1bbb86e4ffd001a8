import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { webhookJson } from '../source-kit/webhook-json.js';
import { isRecentTimestamp, isSignedDelivery } from '../source-kit/webhook-signature.js';

/** Jira retries a delivery for up to 75 minutes. */
const maxAgeSeconds = 2 * 3600;
const maxIdLength = 200;

const jiraEvent = z.object({
  timestamp: z.number(),
  webhookEvent: z.string(),
  issue: z.object({ id: z.union([z.string(), z.number()]).transform(String) }).optional(),
});

/**
 * Takes only the id of the issue from a delivery. The state is read from Jira, so late and repeated deliveries are
 * harmless.
 */
export function readJiraWebhook(
  context: ConnectionContext,
  { headers, body }: SourceDelivery,
  id = headers['x-atlassian-webhook-identifier'],
): SourceNotification | null {
  const isSigned = isSignedDelivery({
    signed: [body],
    secret: context.secret('webhookSecret'),
    signature: headers['x-hub-signature'],
    prefix: 'sha256=',
  });
  if (!isSigned || !id || id.length > maxIdLength) return null;
  const read = jiraEvent.safeParse(webhookJson(body));
  if (!read.success) return null;
  const { timestamp, webhookEvent, issue } = read.data;
  if (!isRecentTimestamp(String(Math.round(timestamp / 1000)), maxAgeSeconds)) return null;
  return {
    id,
    hints: issue ? [{ issue: issue.id }] : changesIssues(webhookEvent) ? [] : null,
    ...(changesReaders(webhookEvent) && { isRosterStale: true }),
  };
}

/** Events that change issues, although some of them do not name one. */
const changesIssues = (event: string): boolean => /^(jira:issue|issue|comment|attachment|project)/.test(event);

/** Jira sends no event if a role, group or permission scheme changes. The scheduled roster finds these changes. */
const changesReaders = (event: string): boolean => /^(user|project)_/.test(event);
