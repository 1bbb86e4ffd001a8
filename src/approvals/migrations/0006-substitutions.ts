import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** A member decides in place of another one for some time. Each vote is that of one approver of the step. */
export class Substitutions1800000001830 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- evidence of who could decide, like approvals: rows are ended, not deleted
      create table substitutions (
        tenant_id uuid not null,
        id uuid not null,
        member_id uuid not null,
        substitute_id uuid not null,
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        created_by uuid not null,
        created_at timestamptz not null,
        ended_at timestamptz,
        primary key (tenant_id, id),
        check (starts_at < ends_at),
        check (member_id <> substitute_id)
      );
      create index substitutions_of_member on substitutions (tenant_id, member_id) where ended_at is null;
      ${secureTenantTable('substitutions', { app: ['select', 'insert', 'update (ended_at)'] })}

      alter table approvals
        add substitution_ids uuid[] not null default '{}',
        add approved_for uuid[] not null default '{}',
        add decided_for uuid;
      update approvals set approved_for = approved_by;
      alter table approvals
        add constraint approvals_one_approver_a_vote check (cardinality(approved_for) = cardinality(approved_by)),
        add constraint approvals_decided_for check (decided_for is null or decided_by is not null);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approvals drop column substitution_ids, drop column approved_for, drop column decided_for;
      drop table substitutions;
    `);
  }
}
