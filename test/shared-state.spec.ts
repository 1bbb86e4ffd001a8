import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/**
 * Everything that a process holds for longer than one request, and what it is found by. A tenant must not choose the key of
 * what another one gets:
 * - `tenant`: the tenant is part of the key;
 * - `id`: a random id that we made; knowing it is checked before, against the tenant's tables;
 * - `object`: one object of this process (a WeakMap, or a set of connections);
 * - `content`: the digest or the whole of what the value is computed from, and of nothing else;
 * - `network`: an address of the network, before anybody has said who they are;
 * - `program`: registered by our own code, or by the operator's settings.
 */
const shared: Record<string, 'tenant' | 'id' | 'object' | 'content' | 'network' | 'program'> = {
  'a2a/card.service.ts cards': 'object',
  'a2a/in-flight.service.ts answering': 'object',
  'a2a/open/grpc/grpc-streams.service.ts open': 'object',
  'a2a/open/open-cards.service.ts seen': 'content',
  'access/credential-holders.service.ts sources': 'program',
  'access/recheck.service.ts checks': 'program',
  'access/refused-credentials.service.ts holders': 'program',
  'access/refused-credentials.service.ts refusals': 'content',
  'api/once-per-key.interceptor.ts reservedFor': 'object',
  'connections/accounts/account-tokens.service.ts renewals': 'id',
  'connections/connection-kinds.service.ts kinds': 'program',
  'connections/connections.service.ts reserved': 'program',
  'connections/mcp/mcp-catalogue.service.ts kept': 'tenant',
  'connections/mcp/mcp-clients.service.ts sessions': 'tenant',
  'connections/mcp/mcp-news.service.ts rations': 'id',
  'connections/mcp/mcp-news.service.ts waiting': 'id',
  'connections/mcp/stdio/far-lines.service.ts lines': 'id',
  'connections/mcp/stdio/stdio-commands.service.ts owned': 'program',
  'connections/mcp/stdio/stdio-leases.service.ts kept': 'program',
  'connections/offered-lists.service.ts kept': 'tenant',
  'connections/offered-tool.ts joins': 'object',
  'connections/tool-execution.service.ts refreshes': 'id',
  'connections/tool-execution.service.ts found': 'object',
  'connections/tools.service.ts providers': 'program',
  'connections/upstream-catalogue.service.ts handlers': 'program',
  'connections/upstream-following.service.ts followed': 'tenant',
  'console/events/changes.service.ts seen': 'id',
  'console/events/changes.service.ts progress': 'program',
  'console/events/console-streams.service.ts readers': 'object',
  'estate/findings/advisories.ts byName': 'program',
  'gate/listed-tools.ts known': 'object',
  'knowledge/text/tokenize.ts remembered': 'content',
  'mcp-sessions/held-exchanges.service.ts held': 'id',
  'mcp-sessions/session-listeners.service.ts listeners': 'id',
  'mcp-sessions/session-listeners.service.ts bySession': 'id',
  'mcp-sessions/session-listeners.service.ts behind': 'object',
  'mcp/calls/returning-calls.service.ts talks': 'id',
  'mcp/calls/telling.ts waits': 'object',
  'mcp/header-check.service.ts made': 'object',
  'mcp/header-check.service.ts declared': 'tenant',
  'mcp/listing-changes.service.ts watchers': 'object',
  'mcp/naming.service.ts names': 'tenant',
  'mcp/open-requests.service.ts open': 'tenant',
  'mcp/sessions/in-flight.service.ts requests': 'id',
  'mcp/sessions/session-streams.service.ts readers': 'id',
  'mcp/tools-on-wire.ts made': 'object',
  'mcp/tools-text.ts texts': 'object',
  'oauth/limits.service.ts blockedUntil': 'network',
  'platform/database/after-commit.ts waiting': 'object',
  'platform/database/transaction.ts lines': 'object',
  'platform/errors/problem.ts kinds': 'program',
  'platform/events/wakes.service.ts listeners': 'program',
  'platform/events/wakes.service.ts unsent': 'program',
  'platform/http/sse.ts open': 'object',
  'platform/json-schema/foreign-schema.isolated.ts kept': 'tenant',
  'platform/json-schema/foreign-schemas.ts kept': 'tenant',
  'principal/credential.guard.ts found': 'object',
  'spend/pulls/pulling.service.ts turns': 'object',
  'spend/vendors.service.ts vendors': 'program',
  'tasks/delegation/remote/remote-streams.service.ts failures': 'id',
  'tasks/delegation/remote/remote-streams.service.ts following': 'id',
  'tasks/key-usage.service.ts counts': 'id',
  'tasks/key-usage.service.ts streams': 'id',
  'tasks/required-extensions.service.ts known': 'tenant',
  'tasks/task-feed.service.ts followers': 'id',
  'tasks/task-feed.service.ts behind': 'object',
  'tasks/task-runner.service.ts running': 'id',
  'tasks/task-sealing.service.ts remaining': 'program',
};

const containers = 'Map|Set|WeakMap|WeakSet|Recent|Slots|RequestLimits|RememberedAnswers';
const ofModule = /^(?:export )?(?:const|let) (\w+)[^=\n]*= new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\);$/gm;
const ofService = new RegExp(`^ {2}(?:private |readonly |protected )+(\\w+)[^=\\n]*= new (?:${containers})\\b`, 'gm');

it('names every state that a process shares between tenants, and what it is found by', () => {
  const found = globSync('src/**/*.ts')
    .filter((path) => !path.endsWith('.spec.ts'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const patterns = text.includes('@Injectable') ? [ofModule, ofService] : [ofModule];
      return patterns.flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, field]) => `${path.slice('src/'.length)} ${field}`),
      );
    });
  expect(
    found.filter((one) => !(one in shared)),
    'new: say in this test what each is found by',
  ).toEqual([]);
  expect(
    Object.keys(shared).filter((one) => !found.includes(one)),
    'gone',
  ).toEqual([]);
});
