import { Baseline } from '../../platform/database/baseline.js';
import { includeInBackup, systemTable, secureTenantTable } from '../../platform/database/tenant-table.js';

/** The authorization server: clients, secrets, consents, issued credentials and signing keys. */
export class OauthBaseline1800000001000 extends Baseline {
  protected readonly sql = `
    -- rows stay when a client is revoked, since records name it
    create table oauth_clients (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      description text,
      logo_url text,
      type text not null check (type in ('public', 'confidential')),
      is_native boolean not null,
      redirect_uris text[] not null check (cardinality(redirect_uris) between 1 and 20),
      target text not null check (target in ('api', 'mcp')),
      configuration_id uuid,
      scopes text[] not null,
      auth_method text not null check (auth_method in ('none', 'client_secret_basic', 'client_secret_post')),
      contacts text[] not null,
      revision integer not null,
      created_by uuid,
      created_at timestamptz not null,
      last_used_at timestamptz,
      disabled_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id),
      check ((target = 'mcp') = (configuration_id is not null)),
      check ((type = 'public') = (auth_method = 'none'))
    );
    -- a request names the id alone
    create unique index oauth_clients_by_id on oauth_clients (id, tenant_id);
    create unique index oauth_clients_by_name on oauth_clients (tenant_id, lower(name)) where revoked_at is null;
    create index oauth_clients_by_configuration on oauth_clients (tenant_id, configuration_id);
    ${secureTenantTable('oauth_clients', {
      app: ['select', 'insert', 'update'],
      system: ['select', 'update (last_used_at)'],
    })}

    create table oauth_client_secrets (
      tenant_id uuid not null,
      id uuid not null,
      client uuid not null,
      hash bytea not null,
      hint text not null,
      created_by uuid,
      created_at timestamptz not null,
      expires_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, client) references oauth_clients (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id)
    );
    create index oauth_client_secrets_by_client on oauth_client_secrets (tenant_id, client);
    create index oauth_client_secrets_by_hash on oauth_client_secrets (hash);
    ${secureTenantTable('oauth_client_secrets', { app: ['select', 'insert', 'update'], system: ['select'] })}

    -- who registered a client, updated its registration, or saw one of its secrets
    create table oauth_client_changes (
      tenant_id uuid not null,
      id uuid not null,
      client uuid not null,
      change text not null check (change in ('registered', 'updated', 'secret_shown')),
      changed_by uuid not null,
      at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, client) references oauth_clients (tenant_id, id)
    );
    create index oauth_client_changes_by_client on oauth_client_changes (tenant_id, client);
    ${secureTenantTable('oauth_client_changes', { app: ['select', 'insert'] })}

    -- what a member allowed a client: one row a target, scopes add up
    create table oauth_consents (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      client uuid not null,
      client_revision integer not null,
      resource text not null check (resource in ('api', 'mcp')),
      configuration_id uuid,
      scopes text[] not null,
      granted_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      unique nulls not distinct (tenant_id, member_id, client, resource, configuration_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, client) references oauth_clients (tenant_id, id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id)
    );
    ${secureTenantTable('oauth_consents', { app: ['select', 'update'], system: ['select', 'insert', 'update'] })}

    -- Interactions, codes, tokens and grants; whatever is a credential is stored as its SHA-256 alone. The transactions of a tenant
    -- list and end grants; everything else is for the authorization server.
    create table oauth_rows (
      model text not null,
      id_hash bytea not null,
      payload jsonb not null,
      grant_id uuid,
      user_code_hash bytea,
      tenant_id uuid,
      member_id uuid,
      client_id text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      consumed_at timestamptz,
      replay bytea,
      primary key (model, id_hash),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    );
    create index oauth_rows_by_grant on oauth_rows (grant_id) where grant_id is not null;
    create unique index oauth_rows_grants on oauth_rows (tenant_id, member_id, client_id, grant_id) where model = 'Grant';
    create unique index oauth_rows_by_user_code on oauth_rows (user_code_hash) where user_code_hash is not null;
    create index oauth_rows_by_expiry on oauth_rows (expires_at);
    create index oauth_rows_with_replay on oauth_rows (consumed_at) where replay is not null;
    ${secureTenantTable('oauth_rows', { app: ['select', 'delete'], system: ['select', 'insert', 'update', 'delete'] })}

    -- the keys behind /oauth2/jwks, private halves sealed; they belong to the installation
    create table oauth_signing_keys (
      kid text primary key,
      sealed bytea not null,
      created_at timestamptz not null,
      retired_at timestamptz
    );
    ${systemTable('oauth_signing_keys', ['select', 'insert', 'update', 'delete'])}
    ${includeInBackup('oauth_signing_keys')}
  `;
}
