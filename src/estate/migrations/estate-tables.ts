import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * Which AI tools are configured where. No column ever holds a secret's value: definitions arrive here redacted, and what was
 * redacted is known by its kind, its place and a fingerprint under the organization's own key.
 */
export class EstateTables1790000001320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await whereFrom(runner);
    await inventory(runner);
    await judgement(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table estate_approved, estate_findings');
    await runner.query('drop table estate_versions, estate_entries, estate_servers, estate_files');
    await runner.query('drop table estate_sources, estate_keys');
  }
}

async function whereFrom(runner: QueryRunner): Promise<void> {
  // what fingerprints of secrets are made with; sealed, so that they outlive a rotation of the master keys
  await runner.query(`
    create table estate_keys (
      tenant_id uuid not null primary key references tenants (id),
      sealed bytea not null,
      created_at timestamptz not null
    )`);
  // a device that uploads, or a connected folder that is read
  await runner.query(`
    create table estate_sources (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('device', 'folder')),
      key text not null,
      name text not null,
      connection_id uuid check ((kind = 'folder') = (connection_id is not null)),
      connection_revision int,
      platform text,
      owner_email text,
      first_seen timestamptz not null,
      last_seen timestamptz,
      complete_at timestamptz,
      collected_at timestamptz,
      next_at timestamptz,
      running_until timestamptz,
      run_id uuid,
      failure text,
      failures int not null,
      problems jsonb not null,
      problem_count int not null,
      primary key (tenant_id, id),
      unique (tenant_id, kind, key),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create index estate_sources_by_connection on estate_sources (tenant_id, connection_id)');
  await tenantTable(runner, 'estate_keys');
  await tenantTable(runner, 'estate_sources', { system: ['select', 'insert', 'update'] });
}

async function inventory(runner: QueryRunner): Promise<void> {
  // an mcp_client_configuration; connection_id: the integration in whose inventory it stands
  await runner.query(`
    create table estate_files (
      tenant_id uuid not null,
      id uuid not null,
      source_id uuid not null,
      connection_id uuid,
      client text not null,
      kind text not null check (kind in ('mcp_client_configuration', 'instructions')),
      scope text not null check (scope in ('user', 'project')),
      path text not null,
      owner_email text,
      status text not null check (status in ('read', 'partly', 'unreadable')),
      digest text not null,
      parser int not null,
      size int not null,
      modified_at timestamptz,
      problems jsonb not null,
      oddities jsonb not null,
      entry_count int not null,
      version int not null,
      first_seen timestamptz not null,
      last_seen timestamptz not null,
      changed_at timestamptz not null,
      gone_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, source_id) references estate_sources (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  // ids are derived from source and path, of entries from file and name: no index has to hold texts of any length
  await runner.query('create index estate_files_by_source on estate_files (tenant_id, source_id)');
  await runner.query('create index estate_files_by_connection on estate_files (tenant_id, connection_id)');
  await runner.query('create index estate_files_by_owner on estate_files (tenant_id, owner_email)');
  // an mcp_server_deployment: the same server on a hundred laptops is one
  await runner.query(`
    create table estate_servers (
      tenant_id uuid not null,
      id uuid not null,
      identity text not null,
      name text not null,
      transport text not null check (transport in ('stdio', 'http', 'sse', 'unknown')),
      command text,
      package jsonb,
      url text,
      host text,
      first_seen timestamptz not null,
      last_seen timestamptz not null,
      gone_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, identity)
    )`);
  await runner.query(`
    create table estate_entries (
      tenant_id uuid not null,
      id uuid not null,
      file_id uuid not null,
      server_id uuid not null,
      name text not null,
      position int not null,
      definition jsonb not null,
      definition_hash text not null,
      transport text not null check (transport in ('stdio', 'http', 'sse', 'unknown')),
      command text,
      args jsonb not null,
      package jsonb,
      url text,
      url_scheme text,
      host text,
      auth_kind text not null check (auth_kind in ('none', 'header', 'oauth', 'url')),
      env_names text[] not null,
      header_names text[] not null,
      env_file text,
      secrets jsonb not null,
      oddities jsonb not null,
      is_disabled boolean not null,
      first_seen timestamptz not null,
      last_seen timestamptz not null,
      changed_at timestamptz not null,
      gone_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, file_id) references estate_files (tenant_id, id) on delete cascade,
      foreign key (tenant_id, server_id) references estate_servers (tenant_id, id)
    )`);
  await runner.query('create index estate_entries_by_file on estate_entries (tenant_id, file_id)');
  await runner.query('create index estate_entries_by_server on estate_entries (tenant_id, server_id)');
  // what a file said, from when on; entries redacted
  await runner.query(`
    create table estate_versions (
      tenant_id uuid not null,
      file_id uuid not null,
      number int not null,
      seen_at timestamptz not null,
      is_gone boolean not null,
      status text not null,
      digest text not null,
      problems jsonb not null,
      entries jsonb not null,
      primary key (tenant_id, file_id, number),
      foreign key (tenant_id, file_id) references estate_files (tenant_id, id) on delete cascade
    )`);
  for (const table of ['estate_files', 'estate_servers', 'estate_entries', 'estate_versions'])
    await tenantTable(runner, table);
}

async function judgement(runner: QueryRunner): Promise<void> {
  // key: what makes it the same finding when it is found again
  await runner.query(`
    create table estate_findings (
      tenant_id uuid not null,
      id uuid not null,
      rule text not null,
      key text not null,
      severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
      file_id uuid,
      entry_id uuid,
      server_id uuid,
      connection_id uuid,
      reason text not null,
      evidence jsonb not null,
      first_seen timestamptz not null,
      last_seen timestamptz not null,
      resolved_at timestamptz,
      dismissed_at timestamptz,
      dismissed_by uuid,
      dismissed_reason text,
      primary key (tenant_id, id),
      unique (tenant_id, rule, key),
      foreign key (tenant_id, file_id) references estate_files (tenant_id, id) on delete cascade,
      foreign key (tenant_id, entry_id) references estate_entries (tenant_id, id) on delete cascade,
      foreign key (tenant_id, server_id) references estate_servers (tenant_id, id) on delete cascade,
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, dismissed_by) references members (tenant_id, id)
    )`);
  await runner.query('create index estate_findings_by_file on estate_findings (tenant_id, file_id)');
  await runner.query('create index estate_findings_by_entry on estate_findings (tenant_id, entry_id)');
  await runner.query('create index estate_findings_by_server on estate_findings (tenant_id, server_id)');
  await runner.query(`
    create table estate_approved (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('package', 'host', 'definition')),
      value text not null,
      server_id uuid,
      note text,
      approved_by uuid,
      approved_at timestamptz not null,
      withdrawn_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, server_id) references estate_servers (tenant_id, id),
      foreign key (tenant_id, approved_by) references members (tenant_id, id)
    )`);
  await runner.query(
    'create unique index estate_approved_once on estate_approved (tenant_id, kind, value) where withdrawn_at is null',
  );
  await tenantTable(runner, 'estate_findings');
  await tenantTable(runner, 'estate_approved');
}
