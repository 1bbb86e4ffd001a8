import { built } from '../../bench/built.ts';
import type {
  ConnectionContext,
  DiscoveredTool,
  ConnectorCall,
} from '../../src/connections/connector-registry.service.ts';
import type { McpClient } from '../../src/mcp-client/mcp-client.ts';
import type { McpClientPool as Clients } from '../../src/mcp-client/mcp-client-pool.service.ts';
import type { McpExecutionService as Execution } from '../../src/mcp-client/mcp-execution.service.ts';
import type { McpTarget } from '../../src/mcp-client/mcp-target.ts';
import type { OutboundHttpClient as Out } from '../../src/platform/http/outbound-http-client.service.ts';
import type { JsonObject } from '../../src/platform/json/strict-json.ts';
import { caller, valuesOf } from './caller.ts';
import { Away, Traveller } from './traveller.ts';

/*
 * `conformance client` starts this for each of its scenarios, with the address of a server: our upstream client as it ships
 * finds out what there is, calls all of it, and goes to the authorization server whenever its person has to.
 */

type Made<T> = new (...parts: unknown[]) => T;
const { Config } = await built<typeof import('../../src/platform/config/config.ts')>('platform/config/config');
const { OutboundHttpClient } = await built<{ OutboundHttpClient: Made<Out> }>(
  'platform/http/outbound-http-client.service',
);
const { withBearer } = await built<typeof import('../../src/upstream-accounts/bearer-fetch.ts')>(
  'upstream-accounts/bearer-fetch',
);
const { discoverMcpTools } =
  await built<typeof import('../../src/mcp-client/mcp-discovery.ts')>('mcp-client/mcp-discovery');
const { fetchListing } = await built<typeof import('../../src/mcp-client/mcp-listings.ts')>('mcp-client/mcp-listings');
const { McpClientPool } = await built<{ McpClientPool: Made<Clients> }>('mcp-client/mcp-client-pool.service');
const { McpExecutionService } = await built<{ McpExecutionService: Made<Execution> }>(
  'mcp-client/mcp-execution.service',
);

interface Given {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: JsonObject }[];
}

/** How often a person who is sent to the authorization server goes there for one call. */
const mostJourneys = 3;

const url = new URL(process.argv[2]);
const given = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Given;
const isPersonal = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/');

const outgoing = new OutboundHttpClient(Config.from({ ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128' }));
const silent = {
  onListChanged: () => undefined,
  on: () => undefined,
  debug: () => undefined,
  drain: async () => undefined,
};
const clients = new McpClientPool(outgoing, null, silent, silent, silent, silent);
const entered = given.client_id ? { client_id: given.client_id, client_secret: given.client_secret } : undefined;
const person = new Traveller(url, outgoing.asFetch(), entered);
const target: McpTarget = {
  key: 'the scenario',
  tenantId: 'nobody',
  connectionId: 'the scenario',
  endpoint: { url, headers: {}, ...(isPersonal && { wrapFetch: (reach) => withBearer(reach, person) }) },
  timeoutMs: 60_000,
};
const execution = new McpExecutionService({ of: async () => target }, clients);

try {
  await everything();
} finally {
  await clients.closeAll();
}
process.exit(0);

async function everything(): Promise<void> {
  const found = await ask((client, signal) => discoverMcpTools(client, target, signal));
  for (const tool of found) {
    if (tool.operation === 'resources') await readResources(tool.inputSchema);
    else if (tool.operation === 'prompts') await getPrompts(tool.inputSchema);
    else if (!tool.operation) await callTool(tool, found);
  }
}

async function callTool({ name, inputSchema }: DiscoveredTool, among: DiscoveredTool[]): Promise<void> {
  const planned = given.toolCalls?.filter((one) => one.name === name).map((one) => one.arguments);
  for (const args of planned ?? [argumentsFor(name, inputSchema, among)])
    await call({ operation: 'tool', tool: name, inputSchema, arguments: args });
}

/** One tool wants to be shown the schema of another one as it arrived here. */
function argumentsFor(name: string, { properties = {} }: JsonObject, [first]: DiscoveredTool[]): JsonObject {
  if (name === 'json_schema_echo') return { schema: first.inputSchema };
  return valuesOf(properties as Parameters<typeof valuesOf>[0]);
}

async function readResources(inputSchema: JsonObject): Promise<void> {
  for (const { uri } of await ask((client, signal) => fetchListing(client, 'resources', { signal })))
    await call({ operation: 'resources', tool: 'resources/read', inputSchema, arguments: { uri } });
}

async function getPrompts(inputSchema: JsonObject): Promise<void> {
  for (const { name, arguments: args = [] } of await ask((client, signal) =>
    fetchListing(client, 'prompts', { signal }),
  )) {
    const values = Object.fromEntries(args.map((argument) => [argument.name, 'text']));
    await call({ operation: 'prompts', tool: 'prompts/get', inputSchema, arguments: { name, arguments: values } });
  }
}

function ask<T>(run: (client: McpClient, signal: AbortSignal) => Promise<T>): Promise<T> {
  return asPerson(() => clients.use(target, AbortSignal.timeout(target.timeoutMs), run));
}

async function call(what: Omit<ConnectorCall, 'outputSchema' | 'idempotencyKey'>): Promise<void> {
  const whole: ConnectorCall = { ...what, outputSchema: null, idempotencyKey: what.tool, conversation: caller };
  const context = { signal: AbortSignal.timeout(target.timeoutMs) } as ConnectionContext;
  await asPerson(() => execution.execute(context, whole));
}

/** A call fails, its person connects an account, and calls again: here by itself. */
async function asPerson<T>(run: () => Promise<T>): Promise<T> {
  for (let journeys = 0; ; journeys++) {
    try {
      return await run();
    } catch (error) {
      if (!isAway(error) || journeys === mostJourneys) throw error;
      await person.connect();
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Error && (error instanceof Away || isAway(error.cause));
}
