import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Connections to other systems, their tools, and the cost of models. */
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
  `;
}
