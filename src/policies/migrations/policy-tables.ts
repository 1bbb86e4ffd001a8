import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Revisions are added, never changed: what decided a call last year can still be read. */
export class PolicyTables1790000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table policy_revisions (
        tenant_id uuid not null references tenants (id),
        configuration_id uuid not null,
        revision int not null check (revision > 0),
        text text not null,
        text_hash bytea not null,
        published_by uuid,
        publisher text not null,
        published_at timestamptz not null,
        primary key (tenant_id, configuration_id, revision)
      )`);
    await tenantTable(runner, 'policy_revisions', { app: ['select', 'insert'] });
    await runner.query(`
      create table policy_drafts (
        tenant_id uuid not null references tenants (id),
        configuration_id uuid not null,
        text text not null,
        based_on int not null,
        saved_by uuid,
        saver text not null,
        saved_at timestamptz not null,
        primary key (tenant_id, configuration_id)
      )`);
    await tenantTable(runner, 'policy_drafts');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table policy_drafts, policy_revisions');
  }
}
