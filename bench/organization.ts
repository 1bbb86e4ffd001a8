import type { INestApplication } from '@nestjs/common';
import type { SessionsService as Sessions } from '../src/access/sessions.service.ts';
import type { TenantsService as Tenants } from '../src/access/tenants.service.ts';
import type { permissionsOfRoles as PermissionsOf } from '../src/principal/permissions.ts';
import type { Principal, systemPrincipal as SystemPrincipal } from '../src/principal/principal.ts';
import { built } from './built.ts';

/** A new organization, and its administrator in a session with a confirmed identity. */
export async function createOrganization(app: INestApplication) {
  const { TenantsService } = await built<{ TenantsService: typeof Tenants }>('access/tenants.service');
  const { SessionsService } = await built<{ SessionsService: typeof Sessions }>('access/sessions.service');
  const { permissionsOfRoles } = await built<{ permissionsOfRoles: typeof PermissionsOf }>('principal/permissions');
  const { systemPrincipal } = await built<{ systemPrincipal: typeof SystemPrincipal }>('principal/principal');
  const { tenant, admin } = await app
    .get(TenantsService, { strict: false })
    .create({ name: 'bench' }, { name: 'Bench', slug: 'bench', admin: { email: 'bench@example.org', name: 'Bench' } });
  const system = systemPrincipal(tenant.id, 'bench');
  const { session, token } = await app
    .get(SessionsService, { strict: false })
    .open(system, { memberId: admin.id, isFresh: true });
  const person: Principal = {
    ...system,
    kind: 'member',
    memberId: admin.id,
    sessionId: session.id,
    freshAt: new Date(),
    surface: 'console',
    permissions: permissionsOfRoles(admin.roles),
  };
  return { tenant, system, person, token };
}
