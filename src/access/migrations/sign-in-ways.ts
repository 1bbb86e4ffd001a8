import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Ways in besides the password: OpenID Connect providers, the identities they vouch for, and passkeys. */
export class SignInWays1790000001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await providers(runner);
    await identities(runner);
    await passkeys(runner);
    await challenges(runner);
    await secondFactor(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table links drop column forgets_passkeys');
    await runner.query('alter table members drop column wants_second_factor');
    await runner.query('alter table tenants drop column requires_second_factor');
    await runner.query('drop table challenges, passkeys, identities, sign_in_provider_groups, sign_in_providers');
  }
}

async function providers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table sign_in_providers (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      issuer text not null,
      client_id text not null,
      client_secret bytea,
      email_domains text[] not null check (cardinality(email_domains) > 0),
      makes_members boolean not null,
      created_by uuid,
      created_at timestamptz not null,
      disabled_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, issuer)
    )`);
  await tenantTable(runner, 'sign_in_providers', { system: ['select'] });
  await runner.query(`
    create table sign_in_provider_groups (
      tenant_id uuid not null,
      provider_id uuid not null,
      group_id uuid not null,
      primary key (tenant_id, provider_id, group_id),
      foreign key (tenant_id, provider_id) references sign_in_providers (tenant_id, id) on delete cascade,
      foreign key (tenant_id, group_id) references groups (tenant_id, id)
    )`);
  await runner.query('create index sign_in_provider_groups_by_group on sign_in_provider_groups (tenant_id, group_id)');
  await tenantTable(runner, 'sign_in_provider_groups', { app: ['select', 'insert', 'delete'] });
}

async function identities(runner: QueryRunner): Promise<void> {
  // by issuer, not by provider: the same person stays the same when the provider is entered anew
  await runner.query(`
    create table identities (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      issuer text not null,
      subject text not null,
      email text not null,
      linked_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, issuer, subject),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create index identities_by_member on identities (tenant_id, member_id)');
  await tenantTable(runner, 'identities');
}

async function passkeys(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table passkeys (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      credential_id bytea not null,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      is_synced boolean not null,
      name text not null,
      created_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, credential_id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create index passkeys_by_member on passkeys (tenant_id, member_id)');
  // a passkey says whose it is before anybody knows the tenant
  await runner.query('create index passkeys_by_credential on passkeys (credential_id, member_id)');
  await tenantTable(runner, 'passkeys', { system: ['select'] });
}

/** What was begun and waits for its answer, before it is known whose it is: no tenant's rows. */
async function challenges(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table challenges (
      hash bytea primary key,
      purpose text not null,
      browser bytea not null,
      context jsonb not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`);
  await runner.query('create index challenges_by_expiry on challenges (expires_at)');
  await runner.query('alter table challenges enable row level security');
  await runner.query('alter table challenges force row level security');
  await runner.query('create policy system on challenges to cs_system using (true)');
  await runner.query('grant select, insert, delete on challenges to cs_system');
}

/** Nobody had one before, so nobody is asked for one. */
async function secondFactor(runner: QueryRunner): Promise<void> {
  await addedFlag(runner, 'tenants', 'requires_second_factor');
  await addedFlag(runner, 'members', 'wants_second_factor');
  await addedFlag(runner, 'links', 'forgets_passkeys');
}

async function addedFlag(runner: QueryRunner, table: string, column: string): Promise<void> {
  await runner.query(`alter table ${table} add column ${column} boolean not null default false`);
  await runner.query(`alter table ${table} alter column ${column} drop default`);
}
