import { statement } from '../../platform/database/statement.js';

export interface ConnectedProductRow {
  id: string;
  name: string;
  description: string | null;
  redirectUris: string[];
  configuration: string | null;
  isDisabled: boolean;
  /** Scopes that need no new consent; null if there are none. */
  agreedTo: string[] | null;
  agreedAt: Date | null;
}

/** Also returns clients with remembered consent. */
export const selectConnectedProducts = statement<
  [tenantId: string, memberId: string, grantedClientIds: readonly string[]],
  ConnectedProductRow
>(`
  select c.id, c.name, c.description, c.redirect_uris as "redirectUris", f.name as configuration,
         c.disabled_at is not null as "isDisabled", k.scopes as "agreedTo", k.granted_at as "agreedAt"
  from oauth_clients c
  left join configurations f on f.tenant_id = c.tenant_id and f.id = c.configuration_id
  left join oauth_consents k
    on k.tenant_id = c.tenant_id and k.client = c.id and k.member_id = $2 and k.client_revision = c.revision
       and k.resource = c.target and k.configuration_id is not distinct from c.configuration_id
       and k.revoked_at is null and k.expires_at > now()
  where c.tenant_id = $1 and c.revoked_at is null and (k.id is not null or c.id = any ($3::uuid[]))
  order by lower(c.name)`);
