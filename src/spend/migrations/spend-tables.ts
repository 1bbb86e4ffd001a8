import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * What AI coding assistants cost and bring. Numbers of people and models are small integers and columns go from wide to narrow,
 * because the two day tables hold a row per person and day, for years.
 */
export class SpendTables1790000001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await people(runner);
    await sight(runner);
    await usage(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table spend_charges, spend_days, spend_models, spend_identities');
    await runner.query('drop table spend_settings, spend_views, spend_words, spend_aliases, spend_people, spend_units');
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
      email text,
      name text not null,
      pseudonym text not null,
      is_service_account boolean not null,
      group_id uuid,
      cost_centre_id uuid,
      removed_at timestamptz,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, member_id),
      check (is_service_account or email is not null),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, group_id) references spend_units (tenant_id, id),
      foreign key (tenant_id, cost_centre_id) references spend_units (tenant_id, id)
    )`);
  await runner.query('create index spend_people_by_name on spend_people (tenant_id, name, id)');
  await runner.query('create index spend_people_by_group on spend_people (tenant_id, group_id)');
  await runner.query('create index spend_people_by_cost_centre on spend_people (tenant_id, cost_centre_id)');
  // whose an address is, the person's own among them: it is one person's everywhere; a login or a number only at its vendor
  await runner.query(`
    create table spend_aliases (
      tenant_id uuid not null,
      kind text not null check (kind in ('email', 'login', 'vendor_user_id', 'service_account', 'api_key')),
      vendor text not null check ((kind = 'email') = (vendor = '')),
      key text not null,
      person_id uuid not null,
      created_at timestamptz not null,
      primary key (tenant_id, kind, vendor, key),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id)
    )`);
  await runner.query('create index spend_aliases_by_person on spend_aliases (tenant_id, person_id)');
  // parts of names and addresses by which somebody may be recognized: many, and written with the person, so without a foreign key
  await runner.query(`
    create table spend_words (
      tenant_id uuid not null,
      word text not null,
      person_id uuid not null,
      primary key (tenant_id, word, person_id)
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
      matched_by text check (matched_by in ('email', 'alias', 'vendor_id', 'person')),
      unmatched_at timestamptz,
      is_ignored boolean not null,
      has_seat boolean not null,
      seat_since timestamptz,
      seat_until timestamptz,
      first_seen timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, kind, key),
      check ((person_id is null) = (matched_by is null)),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, person_id) references spend_people (tenant_id, id)
    )`);
  await runner.query('create index spend_identities_by_person on spend_identities (tenant_id, person_id)');
  await runner.query(
    'create index spend_identities_by_vendor_id on spend_identities (tenant_id, vendor_user_id, connection_id)',
  );
  for (const table of ['spend_units', 'spend_people', 'spend_aliases', 'spend_words', 'spend_identities'])
    await tenantTable(runner, table);
}

async function sight(runner: QueryRunner): Promise<void> {
  // whose single figures an analyst sees: a group's, or everybody's where unit_id is null
  await runner.query(`
    create table spend_views (
      tenant_id uuid not null,
      member_id uuid not null,
      unit_id uuid,
      granted_at timestamptz not null,
      unique nulls not distinct (tenant_id, member_id, unit_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, unit_id) references spend_units (tenant_id, id)
    )`);
  await runner.query(`
    create table spend_settings (
      tenant_id uuid not null primary key references tenants (id),
      shows_pseudonyms boolean not null
    )`);
  for (const table of ['spend_views', 'spend_settings']) await tenantTable(runner, table);
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
