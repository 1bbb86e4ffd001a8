import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

export class ApprovalTables1790000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table approval_steps (
        tenant_id uuid not null,
        name text not null,
        tier text not null check (tier in ('confirm', 'review')),
        approver_group_id uuid,
        expires_after_seconds int not null check (expires_after_seconds between 60 and 2592000),
        changed_at timestamptz not null,
        primary key (tenant_id, name)
      )`);
    await tenantTable(runner, 'approval_steps');

    // no foreign keys: an approval is evidence, and outlives the call, the group and the member it names
    await runner.query(`
      create table approvals (
        tenant_id uuid not null,
        id uuid not null,
        call_id uuid not null,
        configuration_id uuid not null,
        task_id text,
        tool text not null,
        step_name text not null,
        tier text not null check (tier in ('confirm', 'review')),
        approver_group_id uuid,
        state text not null check (state in ('pending', 'approved', 'denied', 'expired', 'void')),
        requesters uuid[] not null,
        by_agent boolean not null,
        answerable_id uuid,
        not_four_eyes boolean not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        decided_at timestamptz,
        decided_by uuid,
        reason text,
        primary key (tenant_id, id),
        unique (tenant_id, call_id, step_name),
        check (state not in ('approved', 'denied') or decided_by is not null),
        check ((state = 'pending') = (decided_at is null))
      )`);
    await runner.query(`create index approvals_to_expire on approvals (expires_at) where state = 'pending'`);
    await runner.query(
      `create index approvals_pending on approvals (tenant_id, configuration_id) where state = 'pending'`,
    );
    await tenantTable(runner, 'approvals', { app: ['select', 'insert', 'update'], system: ['select'] });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table approvals, approval_steps');
  }
}
