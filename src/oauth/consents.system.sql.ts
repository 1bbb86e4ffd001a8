import { statement } from '../platform/database/statement.js';

export type ConsentKey = [
  tenantId: string,
  memberId: string,
  clientId: string,
  clientRevision: number,
  resource: string,
  configurationId: string | null,
];

export const findConsent = statement<ConsentKey, { scopes: string[] }>(
  `
    select scopes from oauth_consents
    where tenant_id = $1 and member_id = $2 and client = $3 and client_revision = $4 and resource = $5
      and configuration_id is not distinct from $6 and revoked_at is null and expires_at > now()`,
  { name: 'oauth-consent-remembered' },
);

/** Scopes add up for the same revision of the client; another revision replaces them. */
export const upsertConsent = statement<[...ConsentKey, scopes: readonly string[], newId: string]>(
  `
    insert into oauth_consents as c
      (tenant_id, id, member_id, client, client_revision, resource, configuration_id, scopes, granted_at, expires_at)
    values ($1, $8, $2, $3, $4, $5, $6, $7, now(), now() + interval '1 year')
    on conflict (tenant_id, member_id, client, resource, configuration_id) do update set
      scopes = case
        when c.client_revision = excluded.client_revision and c.revoked_at is null and c.expires_at > now()
          then array(select distinct unnest(c.scopes || excluded.scopes) order by 1)
        else excluded.scopes
      end,
      client_revision = excluded.client_revision, granted_at = now(), expires_at = excluded.expires_at, revoked_at = null`,
  { name: 'oauth-consent-remember' },
);
