import { statement } from '../platform/database/statement.js';

export interface AccessTokenRow extends CliTokenRow {
  clientId: string;
  client: string;
  configurationId: string | null;
}

export interface CliTokenRow {
  tokenHash: Buffer;
  tenantId: string;
  memberId: string;
  name: string;
  grantId: string;
  scope: string;
  isTenantPaused: boolean;
}

/**
 * Authenticates every request with an access token. Its result is never cached. Updates the client's last use at most
 * once a minute.
 */
export const accessTokensByHash = statement<[hashes: readonly Buffer[]], AccessTokenRow>(
  `
    with used as (
      update oauth_clients c set last_used_at = now()
      from oauth_rows r
      where r.model = 'AccessToken' and r.id_hash = any($1::bytea[]) and r.expires_at > now()
        and c.tenant_id = r.tenant_id and c.id = r.client_id::uuid
        and (c.last_used_at is null or c.last_used_at < now() - interval '1 minute')
    )
    select r.id_hash as "tokenHash", r.tenant_id as "tenantId", r.member_id as "memberId", m.name,
           c.id as "clientId", c.name as client, c.configuration_id as "configurationId", r.grant_id as "grantId",
           r.payload ->> 'scope' as scope, t.paused_at is not null as "isTenantPaused"
    from oauth_rows r
    join oauth_rows g on g.model = 'Grant' and g.grant_id = r.grant_id and g.expires_at > now()
    join oauth_clients c on c.tenant_id = r.tenant_id and c.id = r.client_id::uuid
    join members m on m.tenant_id = r.tenant_id and m.id = r.member_id
    join tenants t on t.id = r.tenant_id
    where r.model = 'AccessToken' and r.id_hash = any($1::bytea[]) and r.expires_at > now()
      and c.disabled_at is null and c.revoked_at is null and m.status = 'active'`,
  { name: 'oauth-access-tokens-by-hash', neverNull: ['tenantId', 'memberId', 'grantId'] },
);

/** Authenticates every request of a terminal. Its result is never cached. */
export const cliTokensByHash = statement<[hashes: readonly Buffer[], clientId: string], CliTokenRow>(
  `
    select r.id_hash as "tokenHash", r.tenant_id as "tenantId", r.member_id as "memberId", m.name,
           r.grant_id as "grantId", r.payload ->> 'scope' as scope, t.paused_at is not null as "isTenantPaused"
    from oauth_rows r
    join oauth_rows g on g.model = 'Grant' and g.grant_id = r.grant_id and g.expires_at > now()
    join members m on m.tenant_id = r.tenant_id and m.id = r.member_id
    join tenants t on t.id = r.tenant_id
    where r.model = 'AccessToken' and r.id_hash = any($1::bytea[]) and r.client_id = $2 and r.expires_at > now()
      and m.status = 'active'`,
  { name: 'oauth-cli-tokens-by-hash', neverNull: ['tenantId', 'memberId', 'grantId'] },
);
