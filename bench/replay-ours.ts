import type { sessionCookie as SessionCookie } from '../src/access/sessions.service.ts';
import type { AgentsService as Agents } from '../src/configurations/agents.service.ts';
import type { ConfigurationsService as Configurations } from '../src/configurations/configurations.service.ts';
import type { ConnectionsService as Connections } from '../src/connections/connections.service.ts';
import type { ToolsService as Tools } from '../src/connections/tools.service.ts';
import type { sealArguments as Seal } from '../src/gate/call-sealing.ts';
import type { readArguments as Read } from '../src/gate/arguments.ts';
import type { newId as NewId } from '../src/platform/crypto/ids.ts';
import type { SealService as Seals } from '../src/platform/crypto/seal.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { PoliciesService as Policies } from '../src/policies/policies.service.ts';
import { built } from './built.ts';
import { createOrganization } from './organization.ts';

/*
 * The built server, and recorded calls (CALLS) of one agent to the tools of UPSTREAM. A child process of the benchmark.
 * Its first line contains the URL and the configuration.
 */

export interface ReplayBenchOutput {
  url: string;
  cookie: string;
  origin: string;
  configurationId: string;
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { SealService } = await built<{ SealService: typeof Seals }>('platform/crypto/seal.service');
const { newId } = await built<{ newId: typeof NewId }>('platform/crypto/ids');
const { sessionCookie } = await built<{ sessionCookie: typeof SessionCookie }>('access/sessions.service');
const { AgentsService } = await built<{ AgentsService: typeof Agents }>('configurations/agents.service');
const { ConfigurationsService } = await built<{ ConfigurationsService: typeof Configurations }>(
  'configurations/configurations.service',
);
const { ConnectionsService } = await built<{ ConnectionsService: typeof Connections }>(
  'connections/connections.service',
);
const { ToolsService } = await built<{ ToolsService: typeof Tools }>('connections/tools.service');
const { PoliciesService } = await built<{ PoliciesService: typeof Policies }>('policies/policies.service');
const { sealArguments } = await built<{ sealArguments: typeof Seal }>('gate/call-sealing');
const { readArguments } = await built<{ readArguments: typeof Read }>('gate/arguments');

const batchSize = 2000;
const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
const { tenant, system, person, token } = await createOrganization(server.app);
const configurationId = await configure();
await insertCalls(Number(process.env.CALLS));
const { baseUrl: origin } = server.config;
const output: ReplayBenchOutput = {
  url: `${origin}/graphql`,
  origin,
  cookie: `${sessionCookie}=${token}`,
  configurationId,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));

async function configure(): Promise<string> {
  const connection = await get(ConnectionsService).create(person, {
    kind: 'mcp',
    name: 'Upstream',
    slug: 'up',
    settings: { url: process.env.UPSTREAM!, timeoutSeconds: 30 },
    secrets: {},
  });
  for (const tool of await get(ToolsService).listOf(person, connection.id))
    if (tool.upstreamName === 'look') await get(ToolsService).confirm(person, tool.id, 'read', tool.definitionHash);
  const { id } = await get(ConfigurationsService).create(person, {
    name: 'Bench',
    description: '',
    connectionIds: [connection.id],
    groupIds: [],
  });
  await get(PoliciesService).publish(person, id, '@id("all") permit (principal, action, resource);');
  return id;
}

/** Half of them write. */
async function insertCalls(count: number): Promise<void> {
  const { id: agentId } = await get(AgentsService).create(person, { configurationId, name: 'Agent' });
  const caller = { kind: 'agent', name: 'Agent', agentId, configurationId, surface: 'a2a', scopes: [], chain: [] };
  const insert = statement<unknown[]>(`
    insert into tool_calls (tenant_id, id, configuration_id, call_refs, identity, caller, tool, effect, is_delegation,
      arguments_sealed, arguments_hash, policy_ids, steps, tainted, state, attempts, requested_at, ended_at)
    select $1::uuid, c.id, $2::uuid, '{}', $3::text, $4::jsonb, c.tool,
      case c.tool when 'up__look' then 'read' else 'write' end, false, c.sealed, c.hash, '{all}', '{}', false,
      'succeeded', 1, now(), now()
    from unnest($5::uuid[], $6::text[], $7::bytea[], $8::bytea[]) c (id, tool, sealed, hash)`);
  for (let start = 0; start < count; start += batchSize) {
    const calls = Array.from({ length: Math.min(batchSize, count - start) }, (_, nth) => {
      const { canonical, hash } = readArguments(JSON.stringify({ id: String(start + nth), note: 'x'.repeat(100) }));
      const id = newId();
      return {
        id,
        tool: nth % 2 ? 'up__change' : 'up__look',
        hash,
        ...sealArguments(get(SealService), { id }, canonical),
      };
    });
    const column = <K extends keyof (typeof calls)[number]>(name: K) => calls.map((call) => call[name]);
    await get(DatabaseService).tenant(system, (tx) =>
      tx.execute(insert, [
        tenant.id,
        configurationId,
        `agent:${agentId}`,
        JSON.stringify(caller),
        ...[column('id'), column('tool'), column('sealed'), column('hash')],
      ]),
    );
  }
}
