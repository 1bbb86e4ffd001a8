import type { INestApplication } from '@nestjs/common';
import type { AgentsService as Agents } from '../src/configurations/agents.service.ts';
import type { ConfigurationsService as Configurations } from '../src/configurations/configurations.service.ts';
import type { KeysService as Keys } from '../src/configurations/keys.service.ts';
import type { OfferedTool, ToolsService as Tools } from '../src/connections/tools.service.ts';
import type { Principal } from '../src/principal/principal.ts';
import { built } from './built.ts';

/** A configuration without connections, and an external agent with a key. */
export async function createAgent(
  app: INestApplication,
  administrator: Principal,
  name = 'Bench',
): Promise<{ agent: Principal; configurationId: string }> {
  const { AgentsService } = await built<{ AgentsService: typeof Agents }>('configurations/agents.service');
  const { KeysService } = await built<{ KeysService: typeof Keys }>('configurations/keys.service');
  const { ConfigurationsService } = await built<{ ConfigurationsService: typeof Configurations }>(
    'configurations/configurations.service',
  );
  const get = <T>(service: abstract new (...args: never[]) => T): T => app.get<T>(service as never, { strict: false });
  const bundle = { name, description: '', connectionIds: [], groupIds: [] };
  const { id: configurationId } = await get(ConfigurationsService).create(administrator, bundle);
  const { id: agentId } = await get(AgentsService).create(administrator, { configurationId, name });
  const { a2aKey } = await get(KeysService).create(administrator, agentId);
  const agent: Principal = {
    tenantId: administrator.tenantId,
    kind: 'agent',
    name,
    agentId,
    configurationId,
    keyId: a2aKey.id,
    surface: 'a2a',
    scopes: [],
    permissions: new Set(),
    chain: [],
  };
  return { agent, configurationId };
}

/** Every configuration has these tools, which do nothing. */
export async function offerTools(app: INestApplication, tools: readonly OfferedTool[]): Promise<void> {
  const { ToolsService } = await built<{ ToolsService: typeof Tools }>('connections/tools.service');
  app.get(ToolsService, { strict: false }).registerProvider({
    slug: 'bench',
    tools: () => Promise.resolve([...tools]),
    execute: () => Promise.resolve({ content: [], isError: false, outside: false }),
  });
}

export const noOpTool = (name: string, effect: OfferedTool['effect']): OfferedTool => ({
  name,
  connectionId: null,
  connectionSlug: 'bench',
  connectionRevision: 1,
  operation: 'tool',
  title: name,
  description: 'Does nothing.',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, priority: { type: 'integer' } },
    additionalProperties: false,
  },
  effect,
  definitionHash: name,
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
});
