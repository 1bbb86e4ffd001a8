import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** How usage comes in: whose turn it is, what is known of which day and since when, and what was changed afterwards. */
export class PullTables1790000001302 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await feeds(runner);
    await days(runner);
    await mcpUse(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table spend_mcp_use, spend_runs, spend_revisions, spend_coverage, spend_feeds');
  }
}

async function feeds(runner: QueryRunner): Promise<void> {
  // the version somebody was last seen with changes often: there is room for it beside the row
  await runner.query('alter table spend_identities set (fillfactor = 75)');
  // every write of a pull asks for its epoch, so that one that was overtaken changes nothing any more
  await runner.query(`
    create table spend_feeds (
      tenant_id uuid not null,
      connection_id uuid not null,
      connection_revision int,
      lease_epoch int not null,
      lease_until timestamptz,
      next_at timestamptz not null,
      hourly_at timestamptz not null,
      daily_at timestamptz not null,
      weekly_at timestamptz not null,
      members_at timestamptz,
      seats int,
      failures int not null,
      trouble text,
      trouble_detail text,
      wait_until timestamptz,
      vendor_cycle_start date,
      vendor_cycle_cents numeric,
      vendor_cycle_at timestamptz,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await tenantTable(runner, 'spend_feeds', { app: ['select', 'update'], system: ['select', 'insert', 'update'] });
  await runner.query(`
    create table spend_runs (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      kind text not null check (kind in ('hourly', 'daily', 'weekly', 'backfill', 'asked')),
      state text not null check (state in ('running', 'done', 'failed')),
      from_day date not null,
      to_day date not null,
      days_done int not null,
      days_total int not null,
      days_changed int not null,
      requests int not null,
      rows int not null,
      unknown_fields jsonb not null,
      code text,
      detail text,
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create index spend_runs_by_connection on spend_runs (tenant_id, connection_id, id desc)');
  await tenantTable(runner, 'spend_runs');
}

async function days(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_coverage (
      tenant_id uuid not null,
      connection_id uuid not null,
      stream text not null check (stream in ('usage', 'events')),
      day date not null,
      state text not null check (state in ('pending', 'provisional', 'final', 'lost')),
      pulled_at timestamptz,
      revision int not null,
      rows int,
      vendor_total int,
      checksum bytea,
      faulty_rows int not null,
      unknown_fields int not null,
      reason text,
      primary key (tenant_id, connection_id, stream, day),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await tenantTable(runner, 'spend_coverage', { system: ['select', 'insert', 'update'] });
  await runner.query(`
    create table spend_revisions (
      tenant_id uuid not null,
      connection_id uuid not null,
      day date not null,
      revision int not null,
      recorded_at timestamptz not null,
      rows_added int not null,
      rows_changed int not null,
      rows_removed int not null,
      charged_cents_before numeric,
      charged_cents_after numeric,
      primary key (tenant_id, connection_id, day, revision),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await tenantTable(runner, 'spend_revisions');
}

/** How often whose assistant called tools of which MCP server. */
async function mcpUse(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_mcp_use (
      tenant_id uuid not null,
      day date not null,
      identity int not null,
      server text not null,
      calls int not null,
      primary key (tenant_id, day, identity, server),
      foreign key (tenant_id, identity) references spend_identities (tenant_id, id)
    )`);
  await runner.query('create index spend_mcp_use_by_server on spend_mcp_use (tenant_id, server, day)');
  await tenantTable(runner, 'spend_mcp_use');
}
