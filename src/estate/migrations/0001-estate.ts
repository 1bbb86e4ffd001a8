import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/**
 * The inventory of AI configurations. No column contains the value of a secret: definitions arrive redacted, and a
 * redacted value is identified by its type, its place and a fingerprint with the organization's own key.
 */
export class EstateBaseline1800000001300 extends Baseline {
  protected readonly sql = `
    -- the keys of the fingerprints; sealed, so that they outlive a rotation of the master keys
    create table estate_keys (
      tenant_id uuid not null primary key references tenants (id),
      sealed bytea not null,
      created_at timestamptz not null
    );
    ${secureTenantTable('estate_keys')}

    -- a device that uploads, or a connected folder that is scanned. A device belongs to the key of its first upload, and to the
    -- first secret that it sent.
    create table estate_sources (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('device', 'folder')),
      key text not null,
      name text not null,
      connection_id uuid check ((kind = 'folder') = (connection_id is not null)),
      connection_revision int,
      key_id uuid,
      device_secret_hash bytea,
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
    );
    create index estate_sources_by_connection on estate_sources (tenant_id, connection_id);
    ${secureTenantTable('estate_sources', { system: ['select', 'insert', 'update'] })}

    -- Configuration files; connection_id: the integration whose inventory lists the file. Ids are derived from source and path,
    -- those of entries from file and name, so that no index holds texts of any length.
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
      status text not null check (status in ('read', 'partly', 'unreadable', 'quarantined')),
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
    );
    create index estate_files_by_source on estate_files (tenant_id, source_id);
    create index estate_files_by_connection on estate_files (tenant_id, connection_id);
    create index estate_files_by_owner on estate_files (tenant_id, owner_email);
    ${secureTenantTable('estate_files')}

    -- the versions of a file, entries redacted
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
    );
    ${secureTenantTable('estate_versions')}

    -- MCP servers: the same server on a hundred laptops is one row
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
    );
    ${secureTenantTable('estate_servers')}

    -- a server in a file
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
    );
    create index estate_entries_by_file on estate_entries (tenant_id, file_id);
    create index estate_entries_by_server on estate_entries (tenant_id, server_id);
    ${secureTenantTable('estate_entries')}

    -- key: what makes it the same finding in the next scan
    create table estate_findings (
      tenant_id uuid not null,
      id uuid not null,
      rule text not null,
      key text not null,
      severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
      rank smallint not null generated always as (
        case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end
      ) stored,
      file_id uuid,
      entry_id uuid,
      server_id uuid,
      connection_id uuid,
      reason text not null,
      fix text not null,
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
    );
    create index estate_findings_by_file on estate_findings (tenant_id, file_id);
    create index estate_findings_by_entry on estate_findings (tenant_id, entry_id);
    create index estate_findings_by_server on estate_findings (tenant_id, server_id);
    create index estate_findings_worst on estate_findings (tenant_id, rank, first_seen desc, id desc);
    ${secureTenantTable('estate_findings')}

    -- which version of a file was evaluated by which rules; another version or rulebook evaluates the file again
    create table estate_judged (
      tenant_id uuid not null,
      file_id uuid not null,
      version int not null,
      parser int not null,
      is_gone boolean not null,
      rulebook text not null,
      judged_at timestamptz not null,
      primary key (tenant_id, file_id),
      foreign key (tenant_id, file_id) references estate_files (tenant_id, id) on delete cascade
    );
    ${secureTenantTable('estate_judged')}

    -- the approved list
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
    );
    create unique index estate_approved_once on estate_approved (tenant_id, kind, value) where withdrawn_at is null;
    ${secureTenantTable('estate_approved')}

    -- the definition of an entry when it last was on the approved list
    create table estate_approved_entries (
      tenant_id uuid not null,
      entry_id uuid not null,
      definition_hash text not null,
      definition jsonb not null,
      approved_at timestamptz not null,
      primary key (tenant_id, entry_id),
      foreign key (tenant_id, entry_id) references estate_entries (tenant_id, id) on delete cascade
    );
    ${secureTenantTable('estate_approved_entries')}
  `;
}
