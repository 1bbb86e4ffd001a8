import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Who could have used whose account, who vouched for whom, and whether an organization accepts introduced reviewers. */
export class IndependenceTables1790000001550 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await introductions(runner);
    await providerChanges(runner);
    await statusChanges(runner);
    await vouches(runner);
    await introducedReviewers(runner);
    await existingFacts(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table introduced_reviewers, vouches, member_status_changes, sign_in_provider_changes, introductions',
    );
  }
}

const append = { app: ['select' as const, 'insert' as const] };

// no foreign keys: these facts outlive links, providers and members
async function introductions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table introductions (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      kind text not null check (kind in ('invitation', 'reset', 'provider', 'reactivation')),
      made_by uuid,
      issuer text,
      made_at timestamptz not null,
      at timestamptz not null,
      primary key (tenant_id, id),
      check ((kind = 'provider') = (issuer is not null)),
      check ((kind = 'provider') = (made_by is null))
    )`);
  await runner.query('create index introductions_by_member on introductions (tenant_id, member_id)');
  await tenantTable(runner, 'introductions', append);
}

async function providerChanges(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table sign_in_provider_changes (
      tenant_id uuid not null,
      id uuid not null,
      issuer text not null,
      changed_by uuid not null,
      at timestamptz not null,
      primary key (tenant_id, id)
    )`);
  await runner.query('create index sign_in_provider_changes_by_issuer on sign_in_provider_changes (tenant_id, issuer)');
  await tenantTable(runner, 'sign_in_provider_changes', append);
}

async function statusChanges(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table member_status_changes (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      change text not null check (change in ('suspended', 'reactivated', 'removed')),
      changed_by uuid,
      at timestamptz not null,
      primary key (tenant_id, id)
    )`);
  await runner.query('create index member_status_changes_by_time on member_status_changes (tenant_id, at)');
  await tenantTable(runner, 'member_status_changes', append);
}

async function vouches(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table vouches (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      made_by uuid check (made_by <> member_id),
      at timestamptz not null,
      primary key (tenant_id, id)
    )`);
  await runner.query('create index vouches_by_member on vouches (tenant_id, member_id)');
  await tenantTable(runner, 'vouches', append);
}

async function introducedReviewers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table introduced_reviewers (
      tenant_id uuid primary key references tenants (id),
      proposed_by uuid not null,
      proposed_at timestamptz not null,
      confirmed_by uuid check (confirmed_by <> proposed_by),
      confirmed_at timestamptz,
      check ((confirmed_by is null) = (confirmed_at is null))
    )`);
  await tenantTable(runner, 'introduced_reviewers');
}

/** What is still known of the time before. Of links older than a month nothing is: their members count as the operator's. */
async function existingFacts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    insert into introductions (tenant_id, id, member_id, kind, made_by, made_at, at)
    select l.tenant_id, gen_random_uuid(), coalesce(l.member_id, m.id), l.kind, l.created_by, l.created_at, l.used_at
    from links l
    left join members m on l.member_id is null and m.tenant_id = l.tenant_id and m.email = l.email
    where l.kind in ('invitation', 'reset') and l.created_by is not null and l.used_at is not null
      and coalesce(l.member_id, m.id) is not null`);
  await runner.query(`
    insert into introductions (tenant_id, id, member_id, kind, issuer, made_at, at)
    select tenant_id, gen_random_uuid(), member_id, 'provider', issuer, linked_at, linked_at from identities`);
  await runner.query(`
    insert into sign_in_provider_changes (tenant_id, id, issuer, changed_by, at)
    select tenant_id, gen_random_uuid(), issuer, created_by, created_at from sign_in_providers
    where created_by is not null`);
}
