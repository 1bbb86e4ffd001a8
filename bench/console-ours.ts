import type { SessionsService as Sessions } from '../src/access/sessions.service.ts';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { DatabaseService as DatabaseOf } from '../src/platform/database/database.service.ts';
import type { systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';

/*
 * The built server, with an organization that has a long list (ROWS groups). A child process of the benchmark. Its
 * first line contains its URL and the session cookie of an administrator.
 */

export interface ConsoleBenchOutput {
  url: string;
  cookie: { name: string; value: string };
}

const { Config } = await built<typeof import('../src/platform/config/config.ts')>('platform/config/config');
const { statement } =
  await built<typeof import('../src/platform/database/statement.ts')>('platform/database/statement');
const { startServer } = await built<typeof import('../src/server.ts')>('server');
const { DatabaseService } = await built<{ DatabaseService: typeof DatabaseOf }>('platform/database/database.service');
const { SessionsService, sessionCookie } = await built<{ SessionsService: typeof Sessions; sessionCookie: string }>(
  'access/sessions.service',
);
const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');

const manyGroups = `
  insert into groups (tenant_id, id, name, created_at)
  select $1, gen_random_uuid(), 'Group ' || n, now() from generate_series(1, $2::int) as n`;

const server = await startServer(Config.from({ PORT: '0', INTERNAL_PORT: '0', ...process.env }));
process.stdout.write(`${JSON.stringify(await furnish())}\n`);
process.stdin.resume().once('end', () => void server.close().then(() => process.exit(0)));

async function furnish(): Promise<ConsoleBenchOutput> {
  const person = { email: 'bench@example.org', name: 'Bench' };
  const { tenant, admin } = await server.app
    .get(TenantsService)
    .create({ name: 'bench' }, { name: 'Bench', slug: 'bench-console', admin: person });
  const system = systemPrincipal(tenant.id, 'bench');
  await server.app
    .get(DatabaseService)
    .tenant(system, (tx) =>
      tx.execute(statement<[tenantId: string, count: number]>(manyGroups), [tenant.id, Number(process.env.ROWS)]),
    );
  const { token } = await server.app.get(SessionsService).open(system, { memberId: admin.id, isFresh: true });
  return { url: server.config.baseUrl, cookie: { name: sessionCookie, value: token } };
}
