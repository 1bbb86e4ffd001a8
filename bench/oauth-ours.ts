import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { SessionsService as Sessions, sessionCookie as SessionCookie } from '../src/access/sessions.service.ts';
import type { ClientsService as Clients } from '../src/oauth/clients/clients.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';
import { Person } from './person.ts';

/*
 * The server from `dist/`, with a signed-in member who has already consented to the scopes of a public client. A child
 * process of the benchmark. Its first line contains its URLs.
 */

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { SessionsService, sessionCookie } = await built<{
  SessionsService: typeof Sessions;
  sessionCookie: typeof SessionCookie;
}>('access/sessions.service');
const { ClientsService } = await built<{ ClientsService: typeof Clients }>('oauth/clients/clients.service');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const redirectUri = 'https://product.example/callback';
const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
const { baseUrl } = server.config;
const { tenant, admin } = await server.app
  .get(TenantsService)
  .create({ name: 'bench' }, { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } });
const system = systemPrincipal(tenant.id, 'bench');
const { token } = await server.app.get(SessionsService).open(system, { memberId: admin.id, isFresh: true });
const { client } = await server.app.get(ClientsService).create(system, {
  name: 'Generator',
  type: 'public',
  isNative: false,
  redirectUris: [redirectUri],
  target: 'api',
  scopes: ['api:read', 'api:write'],
  contacts: [],
});
const cookie = `${sessionCookie}=${token}`;
const authorize = `${baseUrl}/oauth2/authorize`;
// the server stores the consent
await new Person(baseUrl, { name: sessionCookie, value: token }).agree(
  { clientId: client.id, redirectUri, scope: 'api:read' },
  'bench',
);
const output = {
  authorize,
  token: `${baseUrl}/oauth2/token`,
  clientId: client.id,
  redirectUri,
  cookie,
  me: `${baseUrl}/v1/me`,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
process.stdin.resume().on('end', () => void server.close().then(() => process.exit(0)));
