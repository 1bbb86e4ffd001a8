import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNotification } from '../../connections/knowledge-source.port.js';
import { constantTimeEqual, sha256 } from '../../platform/crypto/digest.js';
import type { GitlabHint } from './gitlab-changes.js';
import { webhookJson } from '../source-kit/webhook-json.js';

const thread = z.object({ id: z.number().int().positive(), iid: z.number().int().positive() });
const payload = z.object({
  object_kind: z.string().optional(),
  event_name: z.string().optional(),
  event_type: z.string().optional(),
  project: z.object({ id: z.number().int() }).optional().catch(undefined),
  object_attributes: thread.partial().optional().catch(undefined),
  issue: thread.optional().catch(undefined),
  merge_request: thread.optional().catch(undefined),
  changes: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
type Payload = z.output<typeof payload>;

const documentKinds = new Set(['issue', 'work_item', 'merge_request', 'note', 'push', 'wiki_page']);
/** Member, subgroup and project events of groups, and system hooks. */
const rosterEvents = /^(user|group|project|subgroup)_|_(member|group|team)$/;

/**
 * Accepts deliveries with a signature, or with the secret token in a header, depending on the secret. Without a secret,
 * all are rejected.
 */
export function receiveGitlab({ secret }: ConnectionContext, delivery: SourceDelivery): SourceNotification | null {
  const { headers, body } = delivery;
  const expected = secret('webhookSecret')?.trim();
  if (!expected || !isFromGitlab(delivery, expected)) return null;
  const read = payload.safeParse(webhookJson(body));
  // the header with the id is not signed in every mode, and a replay could change it
  const id = sha256(Buffer.concat([Buffer.from(signedId(headers, expected)), body])).toString('hex');
  // the sender is verified, so an unknown format still triggers a sync, without a hint
  if (!read.success) return { id, hints: [] };
  const { object_kind: kind = '', event_name: event = '', event_type: type = '', changes = {} } = read.data;
  const isRosterEvent = !documentKinds.has(kind) && rosterEvents.test(event);
  const hasOtherReaders = type === 'confidential_issue' || 'confidential' in changes;
  return {
    id,
    hints: documentKinds.has(kind) ? hintsOf(read.data) : isRosterEvent ? [] : null,
    ...((isRosterEvent || hasOtherReaders) && { isRosterStale: true }),
  };
}

const isSigning = (secret: string): boolean => secret.startsWith('whsec_');

/** With a signing secret, the token in the header is not accepted, because it could be replayed with other content. */
function isFromGitlab({ headers, body }: SourceDelivery, secret: string): boolean {
  if (isSigning(secret)) return hasSignature({ headers, body }, secret);
  const token = headers['x-gitlab-token'];
  return Boolean(token) && constantTimeEqual(token!, secret);
}

/** As in Standard Webhooks (https://www.standardwebhooks.com), at most five minutes old. */
function hasSignature({ headers, body }: Pick<SourceDelivery, 'headers' | 'body'>, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers } as Record<string, string>, { jsonParse: false });
    return true;
  } catch {
    return false; // also if the secret has another form
  }
}

const signedId = (headers: SourceDelivery['headers'], secret: string): string =>
  isSigning(secret) ? `${headers['webhook-id']}.` : '';

/** The changed thread or wiki. Its content is loaded from GitLab and never taken from the webhook. */
function hintsOf({ object_kind: kind, project, object_attributes: own, ...targets }: Payload): GitlabHint[] {
  if (kind === 'wiki_page') return project ? [{ project: project.id, stage: 'wiki' }] : [];
  const isMerge = kind === 'merge_request' || (kind === 'note' && targets.merge_request);
  const target = kind === 'note' ? (targets.issue ?? targets.merge_request) : kind === 'push' ? undefined : own;
  if (!project || !target?.id || !target.iid) return [];
  return [{ project: project.id, stage: isMerge ? 'merge_requests' : 'issues', iid: target.iid, id: target.id }];
}
