import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

export class ConfigurationTables1790000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await configurations(runner);
    await agents(runner);
    await keys(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table key_reveals, a2a_keys, agent_identities, configuration_groups, configuration_connections, configurations',
    );
  }
}

async function configurations(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table configurations (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      description text not null,
      model_connection_id uuid,
      paused_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, model_connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create unique index configurations_by_name on configurations (tenant_id, lower(name))');
  await tenantTable(runner, 'configurations', { app: ['select', 'insert', 'update'], system: ['select'] });
  await runner.query(`
    create table configuration_connections (
      tenant_id uuid not null,
      configuration_id uuid not null,
      connection_id uuid not null,
      primary key (tenant_id, configuration_id, connection_id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query(
    'create index configuration_connections_by_connection on configuration_connections (tenant_id, connection_id)',
  );
  await tenantTable(runner, 'configuration_connections', { app: ['select', 'insert', 'delete'], system: ['select'] });
  await runner.query(`
    create table configuration_groups (
      tenant_id uuid not null,
      configuration_id uuid not null,
      group_id uuid not null,
      primary key (tenant_id, configuration_id, group_id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, group_id) references groups (tenant_id, id)
    )`);
  await runner.query('create index configuration_groups_by_group on configuration_groups (tenant_id, group_id)');
  await tenantTable(runner, 'configuration_groups', { app: ['select', 'insert', 'delete'], system: ['select'] });
}

async function agents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table agent_identities (
      tenant_id uuid not null,
      id uuid not null,
      configuration_id uuid not null,
      name text not null,
      responsible_member_id uuid not null,
      paused_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, configuration_id) references configurations (tenant_id, id),
      foreign key (tenant_id, responsible_member_id) references members (tenant_id, id)
    )`);
  await runner.query(
    'create unique index agent_identities_by_name on agent_identities (tenant_id, configuration_id, lower(name))',
  );
  await runner.query(
    'create index agent_identities_by_responsible on agent_identities (tenant_id, responsible_member_id)',
  );
  await tenantTable(runner, 'agent_identities', { app: ['select', 'insert', 'update'], system: ['select'] });
}

/** `token_hash` decides, `sealed` is for showing the key again. Both stay when it is revoked: the records name it. */
async function keys(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table a2a_keys (
      tenant_id uuid not null,
      id uuid not null,
      agent_id uuid not null,
      token_hash bytea not null,
      sealed bytea not null,
      hint text not null,
      created_by uuid,
      created_at timestamptz not null,
      expires_at timestamptz,
      paused_at timestamptz,
      replaced_at timestamptz,
      revoked_at timestamptz,
      used_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, agent_id) references agent_identities (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id)
    )`);
  await runner.query('create unique index a2a_keys_by_token on a2a_keys (token_hash, tenant_id)');
  await runner.query('create index a2a_keys_by_agent on a2a_keys (tenant_id, agent_id)');
  await tenantTable(runner, 'a2a_keys', { app: ['select', 'insert', 'update'], system: ['select'] });
  await runner.query('grant update (used_at) on a2a_keys to cs_system');
  await runner.query(`
    create table key_reveals (
      tenant_id uuid not null,
      id uuid not null,
      key_id uuid not null,
      member_id uuid not null,
      revealed_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, key_id) references a2a_keys (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create index key_reveals_by_key on key_reveals (tenant_id, key_id)');
  await tenantTable(runner, 'key_reveals', { app: ['select', 'insert'] });
}
