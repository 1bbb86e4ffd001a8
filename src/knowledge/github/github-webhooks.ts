import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isSignedDelivery } from '../source-kit/webhook-signature.js';
import type { GithubHint } from './github-changes.js';

const numbered = z.object({ id: z.number(), number: z.number() });
const payload = z.object({
  action: z.string().optional().catch(undefined),
  repository: z.object({ id: z.number() }).optional(),
  issue: numbered.optional(),
  pull_request: z.object({ number: z.number() }).optional(),
  discussion: z.object({ id: z.number(), node_id: z.string() }).optional(),
});

/** Changes of an entry that may change neither the time nor the counts of its thread. */
const entryEvents = /^(issue_comment|pull_request_review|pull_request_review_comment|discussion_comment)$/;
const silentActions = new Set(['edited', 'deleted', 'dismissed']);
/** Events that change documents. */
const documentEvents = /^(push|create|delete|gollum|repository|public|installation|issue|pull_request|discussion)/;
/** Events that change permissions. */
const permissionEvents = new Set([
  'member',
  'membership',
  'team',
  'team_add',
  'repository',
  'organization',
  'public',
  'installation',
  'installation_repositories',
  'installation_target',
]);

/** A redelivery has the same delivery id. Without a secret, all webhooks are rejected. */
export async function receiveGithub(
  { secret }: ConnectionContext,
  { headers, body }: SourceDelivery,
): Promise<SourceNotification | null> {
  const signature = headers['x-hub-signature-256'];
  if (!isSignedDelivery({ signed: [body], secret: secret('webhookSecret'), signature, prefix: 'sha256=' })) return null;
  const id = headers['x-github-delivery'];
  const event = headers['x-github-event'];
  if (!id || id.length > 100 || !event) return null;
  const hint = hintOf(event, payloadIn(headers['content-type'] ?? '', body));
  // removes undefined values
  const hints = hint ? [JSON.parse(JSON.stringify(hint)) as JsonObject] : [];
  return {
    id,
    hints: documentEvents.test(event) ? hints : null,
    ...(permissionEvents.has(event) && { isRosterStale: true }),
  };
}

function payloadIn(contentType: string, body: Buffer): z.output<typeof payload> {
  try {
    const text = body.toString('utf8');
    const isForm = contentType.startsWith('application/x-www-form-urlencoded');
    return payload.parse(JSON.parse(isForm ? (new URLSearchParams(text).get('payload') ?? '') : text));
  } catch {
    return {}; // the signature is valid, so an unknown format still triggers a sync, without a hint
  }
}

function hintOf(
  event: string,
  { action = '', repository, issue, pull_request: pull, discussion }: z.output<typeof payload>,
): GithubHint | null {
  if (!repository) return null;
  const isReread = entryEvents.test(event) && silentActions.has(action);
  const at = { repository: repository.id, ...(isReread && { isReread }) };
  if (event.startsWith('issue') && issue) return { ...at, issue: { number: issue.number, id: issue.id } };
  if (event === 'gollum') return { ...at, isWiki: true };
  // omits the id, because here it differs from the id in the list of issues
  if (event.startsWith('pull_request') && pull) return { ...at, issue: { number: pull.number } };
  if (event.startsWith('discussion') && discussion)
    return { ...at, discussion: { node: discussion.node_id, id: discussion.id } };
  return null;
}
