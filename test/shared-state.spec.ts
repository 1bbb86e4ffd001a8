import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/**
 * All state that a process holds for longer than one request, and the kind of its key. A tenant must not be able to
 * choose the key of another tenant's entry:
 * - `tenant`: the tenant is part of the key;
 * - `id`: a random id of this server; access is checked against the tenant's tables before;
 * - `object`: an object of this process (a WeakMap, or a set of connections);
 * - `content`: the digest or the full text of the input from which the value is computed, and nothing else;
 * - `network`: a network address, before authentication;
 * - `program`: registered by our own code or by the operator's settings.
 */
const shared: Record<string, 'tenant' | 'id' | 'object' | 'content' | 'network' | 'program'> = {
  'a2a/card.service.ts cards': 'object',
  'a2a/in-flight-limiter.service.ts requests': 'program',
  'a2a/in-flight-limiter.service.ts slots': 'object',
  'a2a/protocol/grpc/grpc-streams.service.ts openStreams': 'object',
  'a2a/protocol/protocol-cards.service.ts firstSeenAt': 'content',
  'access/administration/change-kind-registry.service.ts kinds': 'program',
  'access/credential-holder-registry.service.ts sources': 'program',
  'access/credential-revalidation.service.ts checks': 'program',
  'access/refused-credentials.service.ts holders': 'program',
  'access/refused-credentials.service.ts refusals': 'content',
  'audit-streams/audit-stream-delivery.service.ts active': 'object',
  'connections/connection-batch-verification.service.ts batches': 'object',
  'connections/connector-registry.service.ts connectors': 'program',
  'connections/connections.service.ts reservedSlugs': 'program',
  'connections/offered-tool-cache.service.ts lists': 'tenant',
  'connections/offered-tool.ts joinedLists': 'object',
  'connections/tool-execution.service.ts refreshes': 'id',
  'connections/tool-execution.service.ts recentLookups': 'object',
  'connections/tools.service.ts providers': 'program',
  'connections/upstream-catalogue.service.ts handlers': 'program',
  'connections/upstream-subscriptions.service.ts subscriptions': 'tenant',
  'console/events/console-event-reader.service.ts seenIds': 'id',
  'console/events/console-event-reader.service.ts progress': 'program',
  'console/events/console-streams.service.ts subscribers': 'object',
  'console/events/console-streams.service.ts streams': 'id',
  'estate/findings/advisories.ts advisoriesByName': 'program',
  'estate/parsing/known-files.ts patternsByName': 'program',
  'gate/tool-listing.ts listingCaches': 'object',
  'knowledge/embeddings/embeddings.service.ts failures': 'tenant',
  'knowledge/embeddings/embeddings.service.ts questions': 'tenant',
  'knowledge/readable-audiences.service.ts audiences': 'tenant',
  'knowledge/text/tokenize.ts wordCache': 'content',
  'knowledge/webhooks/source-webhooks.service.ts networks': 'network',
  'knowledge/webhooks/source-webhooks.service.ts sources': 'id',
  'limits/key-usage.service.ts rates': 'tenant',
  'limits/key-usage.service.ts streams': 'tenant',
  'limits/key-usage.service.ts reportedKeys': 'tenant',
  'limits/open-request-limiter.service.ts openRequests': 'tenant',
  'mcp-client/mcp-catalogue.service.ts cache': 'tenant',
  'mcp-client/mcp-client-pool.service.ts sessions': 'tenant',
  'mcp-client/mcp-list-change-handler.service.ts buckets': 'id',
  'mcp-client/mcp-list-change-handler.service.ts timers': 'id',
  'mcp-client/stdio/remote-stdio-sessions.service.ts sessions': 'id',
  'mcp-client/stdio/stdio-commands.service.ts owned': 'program',
  'mcp-client/stdio/stdio-leases.service.ts leases': 'program',
  'mcp-sessions/exchange-lease.service.ts leases': 'id',
  'mcp-sessions/session-listener-registry.service.ts listeners': 'id',
  'mcp-sessions/session-listener-registry.service.ts bySession': 'id',
  'mcp-sessions/session-listener-registry.service.ts reads': 'object',
  'mcp/calls/resumable-calls.service.ts ongoingCalls': 'id',
  'mcp/calls/client-notifications.ts waitingCounts': 'object',
  'mcp/header-check.service.ts declaredHeadersByTools': 'object',
  'mcp/header-check.service.ts declared': 'tenant',
  'mcp/listing-changes.service.ts watchers': 'object',
  'mcp/wire-names.service.ts names': 'tenant',
  'mcp/sessions/request-cancellation.service.ts requests': 'id',
  'mcp/sessions/session-streams.service.ts readers': 'id',
  'mcp/mcp-tools.ts toolsByListing': 'object',
  'mcp/tools-text.ts toolTexts': 'object',
  'notifications/notification-source-registry.service.ts sources': 'program',
  'oauth/oauth-rate-limit.service.ts requests': 'network',
  'oauth/oauth-rate-limit.service.ts blockedUntil': 'network',
  'platform/errors/problem.ts registeredProblems': 'program',
  'platform/events/wakeup-channel.service.ts listeners': 'program',
  'platform/events/wakeup-channel.service.ts pending': 'program',
  'platform/http/sse.ts activeStreams': 'object',
  'platform/json-schema/foreign-schema.isolated.ts preparedSchemas': 'tenant',
  'platform/json-schema/foreign-schemas.ts supportedSchemas': 'tenant',
  'principal/credential.guard.ts lookupsByRequest': 'object',
  'rest/idempotency-key.interceptor.ts reservedIds': 'object',
  'slack/slack-identities.service.ts codes': 'id',
  'slack/slack-refusals.service.ts refusals': 'tenant',
  'slack/socket-mode/slack-socket-connections.service.ts held': 'object',
  'spend/sync/spend-sync-scheduler.service.ts running': 'object',
  'spend/spend-vendor-registry.service.ts vendors': 'program',
  'tasks/delegation/remote/remote-streams.service.ts failures': 'id',
  'tasks/delegation/remote/remote-streams.service.ts activeStreams': 'id',
  'tasks/required-extensions.service.ts cache': 'tenant',
  'tasks/task-feed.service.ts followers': 'id',
  'tasks/task-feed.service.ts reads': 'object',
  'tasks/task-runner.service.ts running': 'id',
  'upstream-accounts/account-tokens.service.ts renewals': 'id',
};

const containers =
  'Map|Set|WeakMap|WeakSet|LRUCache|ShortLivedCache|SlotCache|RateLimit|InFlightLimit|RequestRateLimit|EtagCache|ReadQueue';
const ofModule = /^(?:export )?(?:const|let) (\w+)[^=\n]*= new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\);$/gm;
const ofService = new RegExp(`^ {2}(?:private |readonly |protected )+(\\w+)[^=\\n]*= new (?:${containers})\\b`, 'gm');

it('the table lists all state that a process shares between tenants, with the kind of its key', () => {
  const declared = globSync('src/**/*.ts')
    .filter((path) => !path.endsWith('.spec.ts'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const patterns = text.includes('@Injectable') ? [ofModule, ofService] : [ofModule];
      return patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, field]) => `${path.slice('src/'.length)} ${field}`),
      );
    });
  expect(
    declared.filter((one) => !(one in shared)),
    'new: add them to the table with the kind of their key',
  ).toEqual([]);
  expect(
    Object.keys(shared).filter((one) => !declared.includes(one)),
    'no longer declared: remove them from the table',
  ).toEqual([]);
});
