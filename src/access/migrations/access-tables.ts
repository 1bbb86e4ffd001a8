import type { MigrationInterface, QueryRunner } from 'typeorm';
import { backedUp, tenantTable } from '../../platform/database/tenant-table.js';

/** Who is there and how they prove it. What proves anything is kept as its SHA-256 (passwords: argon2id). */
export class AccessTables1790000000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await tenants(runner);
    await members(runner);
    await groups(runner);
    await sessions(runner);
    await links(runner);
    await adminTokens(runner);
    await tenantKeys(runner);
    await attempts(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table attempts, tenant_keys, admin_tokens, links, sessions, group_members, groups, members, tenants',
    );
  }
}

async function tenants(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table tenants (
      id uuid primary key,
      slug text not null unique,
      name text not null,
      created_at timestamptz not null,
      paused_at timestamptz
    )`);
  // its own id takes the place of tenant_id
  await runner.query('alter table tenants enable row level security');
  await runner.query('alter table tenants force row level security');
  await runner.query(
    `create policy tenant on tenants to cs_app using (id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  );
  await runner.query('create policy system on tenants to cs_system using (true)');
  await runner.query('grant select, insert, update on tenants to cs_app');
  await runner.query('grant select on tenants to cs_system');
  await backedUp(runner, 'tenants');
}

async function members(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table members (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      email text not null,
      name text not null,
      roles text[] not null,
      status text not null check (status in ('active', 'suspended', 'removed')),
      password_hash text,
      joined_at timestamptz not null,
      admin_since timestamptz check ((admin_since is not null) = ('admin' = any (roles))),
      primary key (tenant_id, id),
      unique (tenant_id, email)
    )`);
  await tenantTable(runner, 'members', { app: ['select', 'insert', 'update'], system: ['select'] });
}

async function groups(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table groups (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      created_at timestamptz not null,
      primary key (tenant_id, id)
    )`);
  await runner.query('create unique index groups_by_name on groups (tenant_id, lower(name))');
  await tenantTable(runner, 'groups', { system: ['select'] });
  await runner.query(`
    create table group_members (
      tenant_id uuid not null,
      group_id uuid not null,
      member_id uuid not null,
      joined_at timestamptz not null,
      primary key (tenant_id, group_id, member_id),
      foreign key (tenant_id, group_id) references groups (tenant_id, id) on delete cascade,
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create index group_members_by_member on group_members (tenant_id, member_id)');
  await tenantTable(runner, 'group_members', { app: ['select', 'insert', 'delete'], system: ['select'] });
}

async function sessions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table sessions (
      tenant_id uuid not null,
      id uuid not null,
      token_hash bytea not null,
      member_id uuid not null,
      user_agent text,
      created_at timestamptz not null,
      used_at timestamptz not null,
      fresh_at timestamptz,
      expires_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create unique index sessions_by_token on sessions (token_hash, tenant_id)');
  await runner.query('create index sessions_by_member on sessions (tenant_id, member_id)');
  await tenantTable(runner, 'sessions', { system: ['select', 'delete'] });
  await runner.query('grant update (used_at) on sessions to cs_system');
}

async function links(runner: QueryRunner): Promise<void> {
  // no reference to tenants: a set-up link is older than its tenant
  await runner.query(`
    create table links (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('setup', 'invitation', 'reset', 'sign-in')),
      token_hash bytea not null,
      member_id uuid,
      email text,
      name text,
      roles text[],
      group_ids uuid[],
      created_by uuid,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      check ((kind = 'setup' and member_id is null) or (kind = 'invitation' and email is not null)
             or (kind in ('reset', 'sign-in') and member_id is not null))
    )`);
  await runner.query('create unique index links_by_token on links (token_hash, tenant_id)');
  await tenantTable(runner, 'links', { app: ['select', 'insert', 'update'], system: ['select', 'delete'] });
  await runner.query('grant update (used_at) on links to cs_system');
}

async function adminTokens(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table admin_tokens (
      tenant_id uuid not null,
      id uuid not null,
      name text not null,
      token_hash bytea not null,
      hint text not null,
      created_by uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, created_by) references members (tenant_id, id)
    )`);
  await runner.query('create unique index admin_tokens_by_token on admin_tokens (token_hash, tenant_id)');
  await tenantTable(runner, 'admin_tokens', { app: ['select', 'insert', 'update'], system: ['select'] });
  await runner.query('grant update (used_at) on admin_tokens to cs_system');
}

async function tenantKeys(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table tenant_keys (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['documents', 'estate']),
      token_hash bytea not null,
      hint text not null,
      created_by uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      used_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id)
    )`);
  await runner.query('create unique index tenant_keys_by_token on tenant_keys (token_hash, tenant_id)');
  await tenantTable(runner, 'tenant_keys', { app: ['select', 'insert', 'update'], system: ['select'] });
  await runner.query('grant update (used_at) on tenant_keys to cs_system');
}

/** Attempts to sign in, before it is known whose they are: no tenant's rows, and out of every tenant's reach. */
async function attempts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table attempts (
      bucket bytea primary key,
      count int not null,
      since timestamptz not null
    )`);
  await runner.query('alter table attempts enable row level security');
  await runner.query('alter table attempts force row level security');
  await runner.query('create policy system on attempts to cs_system using (true)');
  await runner.query('grant select, insert, update, delete on attempts to cs_system');
}
