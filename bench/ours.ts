import { createHash } from 'node:crypto';
import type { GrpcAddressStore as Grpc } from '../src/a2a/protocol/grpc-address-store.service.ts';
import type { AgentsService as Agents } from '../src/configurations/agents.service.ts';
import type { ConfigurationsService as Configurations } from '../src/configurations/configurations.service.ts';
import type { KeysService as Keys } from '../src/configurations/keys.service.ts';
import type { OfferedTool, ToolProvider, ToolsService as Tools } from '../src/connections/tools.service.ts';
import { built } from './built.ts';
import { createOrganization } from './organization.ts';

/*
 * The server from `dist/`, with an organization, a key, and tools that do nothing. A child process of the benchmark.
 * Its first line contains its URLs and the key.
 */

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');

const tool = (name: string, description: string): OfferedTool => ({
  name: `bench__${name}`,
  connectionId: null,
  connectionSlug: 'bench',
  connectionRevision: 1,
  operation: 'tool',
  title: name,
  description,
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  definitionHash: createHash('sha256').update(`bench__${name}`).digest('hex'),
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
});
const tools = [
  tool('instant', 'Takes no time and does nothing.'),
  ...(process.argv.includes('hold')
    ? [tool('hold', 'Does nothing until it is released.'), tool('release', 'Ends what is held.')]
    : []),
];
const held: (() => void)[] = [];
const bench: ToolProvider = {
  slug: 'bench',
  tools: async () => tools,
  execute: async (_, name) => {
    if (name === 'bench__hold') await new Promise<void>((resolve) => held.push(resolve));
    if (name === 'bench__release') for (const release of held.splice(0)) release();
    return { content: [{ type: 'text', text: 'done' }], isError: false, outside: false };
  },
};

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const output = await furnish();
process.stdout.write(`${JSON.stringify(output)}\n`);
process.on('SIGUSR2', () => void globalThis.gc?.()); // collect garbage before the memory is measured
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));

async function furnish(): Promise<{ url: string; grpc?: string; configurationId: string; key: string }> {
  const { ConfigurationsService } = await built<{ ConfigurationsService: typeof Configurations }>(
    'configurations/configurations.service',
  );
  const { AgentsService } = await built<{ AgentsService: typeof Agents }>('configurations/agents.service');
  const { KeysService } = await built<{ KeysService: typeof Keys }>('configurations/keys.service');
  const { ToolsService } = await built<{ ToolsService: typeof Tools }>('connections/tools.service');
  const { GrpcAddressStore } = await built<{ GrpcAddressStore: typeof Grpc }>(
    'a2a/protocol/grpc-address-store.service',
  );
  server.app.get(ToolsService).registerProvider(bench);
  const { person } = await createOrganization(server.app);
  const configuration = await server.app
    .get(ConfigurationsService)
    .create(person, { name: 'Bench', description: '', connectionIds: [], groupIds: [] });
  const agent = await server.app
    .get(AgentsService)
    .create(person, { configurationId: configuration.id, name: 'Generator', responsibleMemberId: person.memberId });
  const { key } = await server.app.get(KeysService).create(person, agent.id);
  return {
    url: `${server.config.a2aUrl}/agents/${configuration.id}`,
    grpc: server.app.get(GrpcAddressStore).address,
    configurationId: configuration.id,
    key,
  };
}
