import { statement } from '../platform/database/statement.js';
import type { OauthClient } from './client.entity.js';

export interface KnownClientRow extends Omit<OauthClient, 'status'> {
  secretHashes: Buffer[];
  isTenantPaused: boolean;
}

/**
 * Runs as the system: a request to the authorization server names its client before the tenant is known.
 */
export const clientsById = statement<[ids: readonly string[]], KnownClientRow>(
  `
    select c.tenant_id as "tenantId", c.id, c.name, c.description, c.logo_url as "logoUrl", c.type, c.is_native as "isNative",
           c.redirect_uris as "redirectUris", c.target, c.configuration_id as "configurationId", c.scopes,
           c.auth_method as "authMethod", c.contacts, c.revision, c.created_by as "createdBy", c.created_at as "createdAt",
           c.last_used_at as "lastUsedAt", c.disabled_at as "disabledAt", c.revoked_at as "revokedAt",
           t.paused_at is not null as "isTenantPaused",
           array(select s.hash from oauth_client_secrets s
                 where s.tenant_id = c.tenant_id and s.client = c.id and (s.expires_at is null or s.expires_at > now())) as "secretHashes"
    from oauth_clients c
    join tenants t on t.id = c.tenant_id
    where c.id = any($1::uuid[])`,
  { name: 'oauth-clients-by-id' },
);
