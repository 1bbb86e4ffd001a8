import type { GroupsService as Groups } from '../src/access/groups.service.ts';
import type { SessionsService as Sessions, sessionCookie as SessionCookie } from '../src/access/sessions.service.ts';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { ConfigurationsService as Configurations } from '../src/configurations/configurations.service.ts';
import type { ConnectionsService as Connections } from '../src/connections/connections.service.ts';
import type { ToolsService as Tools } from '../src/connections/tools.service.ts';
import type { ClientsService as Clients } from '../src/oauth/clients/clients.service.ts';
import type { PoliciesService as Policies } from '../src/policies/policies.service.ts';
import type { permissionsOfRoles as PermissionsOf } from '../src/principal/permissions.ts';
import type { Principal, systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';
import { Person } from './person.ts';

/*
 * The server from `dist/` as a gateway to one upstream server (UPSTREAM), with a person whose assistant may use all of
 * its tools, without a name prefix. A child process. Its first line contains its URL and an access token.
 */

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { GroupsService } = await built<{ GroupsService: typeof Groups }>('access/groups.service');
const { SessionsService, sessionCookie } = await built<{
  SessionsService: typeof Sessions;
  sessionCookie: typeof SessionCookie;
}>('access/sessions.service');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { ConfigurationsService } = await built<{ ConfigurationsService: typeof Configurations }>(
  'configurations/configurations.service',
);
const { ConnectionsService } = await built<{ ConnectionsService: typeof Connections }>(
  'connections/connections.service',
);
const { ToolsService } = await built<{ ToolsService: typeof Tools }>('connections/tools.service');
const { ClientsService } = await built<{ ClientsService: typeof Clients }>('oauth/clients/clients.service');
const { PoliciesService } = await built<{ PoliciesService: typeof Policies }>('policies/policies.service');
const { permissionsOfRoles } = await built<{ permissionsOfRoles: typeof PermissionsOf }>('principal/permissions');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const redirectUri = 'https://assistant.example/callback';
const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const { baseUrl } = server.config;
const get = <T>(service: abstract new (...args: never[]) => T): T => server.app.get<T>(service as never);
process.stdout.write(`${JSON.stringify(await furnish())}\n`);
process.on('SIGUSR2', () => void globalThis.gc?.()); // collect garbage before the memory is measured
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));

async function furnish(): Promise<{ url: string; token: string }> {
  const { tenant, admin } = await get(TenantsService).create(
    { name: 'bench' },
    { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } },
  );
  const system = systemPrincipal(tenant.id, 'bench');
  const { session, token: value } = await get(SessionsService).open(system, { memberId: admin.id, isFresh: true });
  const person: Principal = {
    ...system,
    kind: 'member',
    memberId: admin.id,
    sessionId: session.id,
    freshAt: new Date(),
    surface: 'console',
    permissions: permissionsOfRoles(admin.roles),
  };
  const group = await get(GroupsService).create(person, 'Everybody');
  await get(GroupsService).addMember(person, group.id, admin.id);
  const configuration = await get(ConfigurationsService).create(person, {
    name: 'Bench',
    description: '',
    connectionIds: [await connect(person)],
    groupIds: [group.id],
    unprefixed: true,
  });
  await get(PoliciesService).publish(person, configuration.id, '@id("all")\npermit (principal, action, resource);\n');
  const { client } = await get(ClientsService).create(system, {
    name: 'Assistant',
    type: 'public',
    isNative: false,
    redirectUris: [redirectUri],
    target: 'mcp',
    configurationId: configuration.id,
    scopes: ['api:read', 'api:write'],
    contacts: [],
  });
  const { access_token: token } = await new Person(baseUrl, { name: sessionCookie, value }).tokens({
    clientId: client.id,
    redirectUri,
    scope: 'api:read api:write',
  });
  return { url: `${baseUrl}/v1/mcp`, token };
}

/**
 * Confirms tools with a read-only hint as reading: repeated calls of these run again instead of returning an earlier
 * result.
 */
async function connect(person: Principal): Promise<string> {
  const { id } = await get(ConnectionsService).create(person, {
    kind: 'mcp',
    name: 'Upstream',
    slug: 'up',
    settings: { url: process.env.UPSTREAM!, timeoutSeconds: 30 },
    secrets: {},
  });
  for (const tool of await get(ToolsService).listOf(person, id))
    if (tool.annotations?.readOnlyHint) await get(ToolsService).confirm(person, tool.id, 'read', tool.definitionHash);
  return id;
}
