import { z } from 'zod';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import type { SourceDelivery, SourceNews } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isSignedDelivery } from '../source-kit/webhook-signature.js';
import type { GithubHint } from './github-changes.js';

const numbered = z.object({ id: z.number(), number: z.number() });
const payload = z.object({
  repository: z.object({ id: z.number() }).optional(),
  issue: numbered.optional(),
  pull_request: z.object({ number: z.number() }).optional(),
  discussion: z.object({ id: z.number(), node_id: z.string() }).optional(),
});

/** Events after which documents are different, besides those that name a thread. */
const documentEvents = /^(push|create|delete|repository|public|installation|issue|pull_request|discussion)/;
/** Events after which other people may read something. */
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

/** GitHub repeats the delivery id when it sends a delivery again. Without a secret nothing is accepted. */
export async function receiveGithub(
  { secret }: ConnectionContext,
  { headers, body }: SourceDelivery,
): Promise<SourceNews | null> {
  const signature = headers['x-hub-signature-256'];
  if (!isSignedDelivery({ signed: [body], secret: secret('webhookSecret'), signature, prefix: 'sha256=' })) return null;
  const id = headers['x-github-delivery'];
  const event = headers['x-github-event'];
  if (!id || id.length > 100 || !event) return null;
  const hint = hintOf(event, payloadIn(headers['content-type'] ?? '', body));
  // undefined values are no JSON
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
    return {}; // signed, so it is from GitHub: the next sync looks itself
  }
}

function hintOf(
  event: string,
  { repository, issue, pull_request: pull, discussion }: z.output<typeof payload>,
): GithubHint | null {
  if (!repository) return null;
  const at = { repository: repository.id };
  if (event.startsWith('issue') && issue) return { ...at, issue: { number: issue.number, id: issue.id } };
  // a pull request has another id here than in the list of issues
  if (event.startsWith('pull_request') && pull) return { ...at, issue: { number: pull.number } };
  if (event.startsWith('discussion') && discussion)
    return { ...at, discussion: { node: discussion.node_id, id: discussion.id } };
  return null;
}
