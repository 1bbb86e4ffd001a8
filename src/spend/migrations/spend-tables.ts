import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * What AI coding assistants cost and bring. Numbers of people and models are small integers and columns go from wide to narrow,
 * because the two day tables hold a row per person and day, for years.
 */
export class SpendTables1790000001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await people(runner);
    await usage(runner);
    await pulls(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table spend_runs, spend_revisions, spend_coverage, spend_feeds');
    await runner.query('drop table spend_charges, spend_days, spend_models, spend_identities');
    await runner.query('drop table spend_aliases, spend_people, spend_units');
  }
}

async function people(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_units (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('group', 'cost_centre')),
      name text not null,
      primary key (tenant_id, id),
      unique (tenant_id, kind, name)
    )`);
  await runner.query(`
    create table spend_people (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid,
      email text not null,
      name text not null,
      group_id uuid,
      cost_centre_id uuid,
      removed_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, email),
      unique (tenant_id, member_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, group_id) references spend_units (tenant_id, id),
      foreign key (tenant_id, cost_centre_id) references spend_units (tenant_id, id)
    )`);
  await runner.query(`
    create table spend_aliases (
      tenant_id uuid not null,
      kind text not null check (kind in ('email', 'login', 'vendor_user_id', 'service_account', 'api_key')),
      key text not null,
      person_id uuid not null,
      primary key (tenant_id, kind, key),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id)
    )`);
  await runner.query(`
    create table spend_identities (
      tenant_id uuid not null,
      id int generated always as identity,
      connection_id uuid not null,
      kind text not null check (kind in ('email', 'login', 'vendor_user_id', 'service_account', 'api_key', 'unattributed')),
      key text not null,
      email text,
      vendor_user_id text,
      name text,
      vendor_role text,
      client_version text,
      client_version_day date,
      person_id uuid,
      matched_by text check (matched_by in ('email', 'alias', 'person')),
      is_ignored boolean not null,
      has_seat boolean not null,
      seat_since timestamptz,
      seat_until timestamptz,
      first_seen timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, kind, key),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id)
    )`);
  await runner.query('create index spend_identities_by_person on spend_identities (tenant_id, person_id)');
  for (const table of ['spend_units', 'spend_people', 'spend_aliases', 'spend_identities'])
    await tenantTable(runner, table);
}

async function usage(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_models (
      tenant_id uuid not null,
      id int generated always as identity,
      name text not null,
      primary key (tenant_id, id),
      unique (tenant_id, name)
    )`);
  // identities belong to one connection: the day of a connection is the rows of its identities
  await runner.query(`
    create table spend_days (
      tenant_id uuid not null,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_creation_tokens bigint,
      day date not null,
      identity int not null,
      ai_requests_chat int,
      ai_requests_agent int,
      ai_requests_composer int,
      ai_requests_cmdk int,
      tab_completions_shown int,
      tab_completions_accepted int,
      applies_accepted int,
      applies_rejected int,
      lines_accepted_added int,
      lines_accepted_deleted int,
      subscription_included_requests int,
      usage_based_requests int,
      byo_api_key_requests int,
      charged_cents numeric,
      included_cents numeric,
      request_units numeric,
      primary key (tenant_id, day, identity)
    )`);
  await runner.query(`
    create table spend_charges (
      tenant_id uuid not null,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_creation_tokens bigint,
      day date not null,
      identity int not null,
      model int not null,
      events int not null,
      is_included boolean not null,
      charged_cents numeric,
      list_cents numeric,
      request_units numeric,
      primary key (tenant_id, day, identity, model, is_included)
    )`);
  for (const table of ['spend_models', 'spend_days', 'spend_charges']) await tenantTable(runner, table);
}

async function pulls(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table spend_feeds (
      tenant_id uuid not null,
      connection_id uuid not null,
      lease_epoch int not null,
      lease_until timestamptz,
      hourly_at timestamptz not null,
      daily_at timestamptz not null,
      weekly_at timestamptz not null,
      wait_until timestamptz,
      trouble text,
      trouble_detail text,
      vendor_cycle_start date,
      vendor_cycle_cents numeric,
      vendor_cycle_at timestamptz,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await tenantTable(runner, 'spend_feeds', { system: ['select', 'update'] });
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
      primary key (tenant_id, connection_id, day, revision)
    )`);
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
      requests int not null,
      rows int not null,
      code text,
      detail text,
      started_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create index spend_runs_by_connection on spend_runs (tenant_id, connection_id, started_at desc)');
  for (const table of ['spend_coverage', 'spend_revisions', 'spend_runs']) await tenantTable(runner, table);
}
