import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Connections to other systems, their tools, people's accounts there, and the cost of models. */
export class ConnectionsBaseline1800000000300 extends Baseline {
  protected readonly sql = `
    create table connections (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null,
      name text not null,
      slug text not null check (slug ~ '^[a-z][a-z0-9_-]{0,23}$' and slug !~ '__|_$'),
      settings jsonb not null,
      revision int not null,
      status text not null check (status in ('unverified', 'connected', 'limited', 'failed')),
      status_reason text,
      created_at timestamptz not null,
      changed_at timestamptz,
      changed_by uuid,
      verified_at timestamptz,
      paused_at timestamptz,
      removed_at timestamptz,
      primary key (tenant_id, id)
    );
    create unique index connections_by_slug on connections (tenant_id, slug) where removed_at is null;
    create index connections_due on connections (coalesce(verified_at, created_at)) where removed_at is null and paused_at is null;
    ${secureTenantTable('connections', {
      app: ['select', 'insert', 'update'],
      bulk: ['select (tenant_id, id, kind, paused_at, removed_at)'],
      system: ['select'],
    })}

    -- a separate table, so that no statement reads a credential along with its connection
    create table connection_secrets (
      tenant_id uuid not null,
      connection_id uuid not null,
      name text not null,
      sealed bytea not null,
      primary key (tenant_id, connection_id, name),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('connection_secrets')}

    create table tools (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      connection_slug text not null,
      name text not null,
      upstream_name text not null,
      operation text not null check (operation in ('tool', 'resources', 'prompts', 'completions', 'delegation')),
      title text not null,
      description text not null,
      input_schema jsonb not null,
      output_schema jsonb,
      annotations jsonb,
      definition jsonb not null,
      definition_hash text not null,
      effect text not null check (effect in ('read', 'write', 'destructive')),
      confirmed_hash text,
      confirmed_definition jsonb,
      confirmed_at timestamptz,
      confirmed_by uuid, -- null: not confirmed by anyone; the first definition counts as known
      seen_at timestamptz not null,
      gone_at timestamptz,
      paused_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, upstream_name),
      unique (tenant_id, connection_id, name),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('tools', { app: ['select', 'insert', 'update'] })}

    -- one row per task and month; the sum of its rows is the cost of a month
    create table model_usage (
      tenant_id uuid not null,
      connection_id uuid not null,
      month date not null,
      task_id uuid not null,
      turns int not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      cost numeric(20, 9),
      primary key (tenant_id, connection_id, month, task_id)
    );
    ${secureTenantTable('model_usage', { app: ['select', 'insert', 'update'] })}

    -- people's own accounts at connected systems
    create table connection_accounts (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      member_id uuid not null,
      address text not null,
      issuer text not null,
      scope text,
      wanted_scope text,
      lists_tools boolean not null,
      sealed bytea,
      version int not null,
      expires_at timestamptz,
      renewing_until timestamptz,
      connected_at timestamptz not null,
      ended_at timestamptz,
      ended_reason text,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, member_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      check ((sealed is null) = (ended_at is not null))
    );
    create unique index connection_accounts_that_list on connection_accounts (tenant_id, connection_id) where lists_tools;
    ${secureTenantTable('connection_accounts')}

    -- our registration at an authorization server: one for all people, since one per person would overload the server
    create table connection_clients (
      tenant_id uuid not null,
      connection_id uuid not null,
      issuer text not null,
      redirect_uri text not null,
      sealed bytea not null,
      revision int not null,
      is_entered boolean not null,
      created_at timestamptz not null,
      primary key (tenant_id, connection_id, issuer),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('connection_clients')}

    -- authorizations in progress: the person is at the authorization server; a new start replaces the row
    create table connection_authorizations (
      tenant_id uuid not null,
      connection_id uuid not null,
      member_id uuid not null,
      session_id uuid not null,
      state_hash bytea not null,
      sealed bytea not null,
      expires_at timestamptz not null,
      primary key (tenant_id, connection_id, member_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('connection_authorizations')}

    -- where people may be sent to sign in: what an administrator confirmed, and what was found since and is unconfirmed
    create table connection_authorization_servers (
      tenant_id uuid not null,
      connection_id uuid not null,
      confirmed jsonb,
      confirmed_by uuid,
      confirmed_at timestamptz,
      pending jsonb,
      pending_at timestamptz,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      check ((pending is null) = (pending_at is null)),
      check ((confirmed is null) = (confirmed_at is null)),
      check (confirmed is not null or pending is not null)
    );
    ${secureTenantTable('connection_authorization_servers')}

    -- Commands of the operator that speak MCP over stdio. They belong to no tenant and are not accessible to cs_app.
    -- Lines and messages are worthless after a crash of the database, so they are not written to the write-ahead log.
    create table stdio_children (
      command text primary key,
      child uuid,
      lease_until timestamptz,
      failures int not null,
      failure text,
      start_after timestamptz
    );
    create unlogged table stdio_lines (
      id uuid primary key,
      command text not null,
      child uuid,
      alive_until timestamptz not null,
      closed text
    );
    create unlogged table stdio_messages (
      number bigint generated always as identity primary key,
      line uuid not null references stdio_lines (id) on delete cascade,
      is_answer boolean not null,
      message bytea not null,
      expires_at timestamptz not null
    );
    create index stdio_messages_by_line on stdio_messages (line, is_answer);
    grant select, insert, update, delete on stdio_children, stdio_lines, stdio_messages to cs_system;
  `;
}
