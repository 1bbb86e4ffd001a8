import { GroupsService } from '../../src/access/groups.service.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { ClientsService } from '../../src/oauth/clients/clients.service.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import { statement } from '../../src/platform/database/statement.js';
import type { Principal } from '../../src/principal/principal.js';
import type { GateFixture } from './gate-fixture.js';

let count = 0;

/** A member of a group that can use the configuration, and an OAuth client that they authorized. */
export async function colleagueWithProduct(at: GateFixture, registeredBy: Principal) {
  const group = await at.get(GroupsService).create(await at.principalOf(), `Colleagues ${++count}`);
  const colleague = await at.organization.member({ name: 'Cora Colleague', groupIds: [group.id] });
  const configurations = at.get(ConfigurationsService);
  await configurations.update(await at.principalOf(), { configurationId: at.configurationId, groupIds: [group.id] });
  const { client } = await at.get(ClientsService).create(registeredBy, {
    name: `Board ${count}`,
    type: 'confidential',
    isNative: false,
    redirectUris: ['https://board.example/callback'],
    target: 'api',
    scopes: ['api:read', 'api:write'],
    contacts: [],
  });
  const grantId = newId();
  await at.get(DatabaseService).systemPool.execute(
    statement<
      [grantId: string, tenantId: string, memberId: string, clientId: string]
    >(`insert into oauth_rows (model, id_hash, payload, grant_id, tenant_id, member_id, client_id, created_at, expires_at)
     values ('Grant', sha256($1::text::bytea), '{}', $1::uuid, $2, $3, $4, now(), now() + interval '1 hour')`),
    [grantId, at.organization.tenant.id, colleague.id, client.id],
  );
  const principal: Principal = {
    tenantId: at.organization.tenant.id,
    kind: 'member',
    name: colleague.name,
    memberId: colleague.id,
    clientId: client.id,
    grantId,
    surface: 'api',
    scopes: ['api:read', 'api:write'],
    permissions: new Set(),
    chain: [{ kind: 'client', id: client.id, name: client.name }],
  };
  return { principal, client };
}
