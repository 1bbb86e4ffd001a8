import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Links to other systems, the tools they offer, and what models cost. */
export class ConnectionsTables1790000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        verified_at timestamptz,
        paused_at timestamptz,
        removed_at timestamptz,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      )`);
    await runner.query(
      'create unique index connections_by_slug on connections (tenant_id, slug) where removed_at is null',
    );
    await runner.query(
      'create index connections_due on connections (coalesce(verified_at, created_at)) where removed_at is null and paused_at is null',
    );
    await tenantTable(runner, 'connections', { app: ['select', 'insert', 'update'], system: ['select'] });

    // apart from the connection, so that reading one never reads a credential
    await runner.query(`
      create table connection_secrets (
        tenant_id uuid not null,
        connection_id uuid not null,
        name text not null,
        sealed bytea not null,
        primary key (tenant_id, connection_id, name),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await tenantTable(runner, 'connection_secrets');

    await runner.query(`
      create table tools (
        tenant_id uuid not null,
        id uuid not null,
        connection_id uuid not null,
        connection_slug text not null,
        name text not null,
        upstream_name text not null,
        title text not null,
        description text not null,
        input_schema jsonb not null,
        output_schema jsonb,
        annotations jsonb,
        definition jsonb not null,
        effect text not null check (effect in ('read', 'write', 'destructive')),
        definition_hash text not null,
        confirmed_hash text,
        confirmed_definition jsonb,
        seen_at timestamptz not null,
        gone_at timestamptz,
        paused_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, connection_id, upstream_name),
        unique (tenant_id, connection_id, name),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await tenantTable(runner, 'tools', { app: ['select', 'insert', 'update'] });

    // one row a task and month: what it cost, and, summed, what the month cost
    await runner.query(`
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
      )`);
    await tenantTable(runner, 'model_usage', { app: ['select', 'insert', 'update'] });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table model_usage, tools, connection_secrets, connections');
  }
}
