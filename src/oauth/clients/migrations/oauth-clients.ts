import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../../platform/database/tenant-table.js';

export class OauthClients1790000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await clients(runner);
    await secrets(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_client_secrets, oauth_clients');
  }
}

/** Rows stay when a client is revoked: the records name it. */
async function clients(runner: QueryRunner): Promise<void> {
  await runner.query(`
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
    )`);
  // what a request names is the id alone
  await runner.query('create unique index oauth_clients_by_id on oauth_clients (id, tenant_id)');
  await runner.query(
    'create unique index oauth_clients_by_name on oauth_clients (tenant_id, lower(name)) where revoked_at is null',
  );
  await runner.query('create index oauth_clients_by_configuration on oauth_clients (tenant_id, configuration_id)');
  await tenantTable(runner, 'oauth_clients', { app: ['select', 'insert', 'update'], system: ['select'] });
  await runner.query('grant update (last_used_at) on oauth_clients to cs_system');
}

async function secrets(runner: QueryRunner): Promise<void> {
  await runner.query(`
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
    )`);
  await runner.query('create index oauth_client_secrets_by_client on oauth_client_secrets (tenant_id, client)');
  await runner.query('create index oauth_client_secrets_by_hash on oauth_client_secrets (hash)');
  await tenantTable(runner, 'oauth_client_secrets', { app: ['select', 'insert', 'update'], system: ['select'] });
}
