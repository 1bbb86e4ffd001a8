import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Who may override pending approvals, and every override until and after its review. */
export class BreakGlass1800000002110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table break_glass_rights (
        tenant_id uuid not null,
        member_id uuid not null,
        granted_by uuid not null check (granted_by <> member_id),
        granted_at timestamptz not null,
        primary key (tenant_id, member_id),
        foreign key (tenant_id, member_id) references members (tenant_id, id)
      );
      ${secureTenantTable('break_glass_rights', { app: ['select', 'insert', 'delete'] })}

      alter table approvals
        add column overridden_by uuid,
        drop constraint approvals_check1,
        add constraint approvals_enough_votes
          check (state <> 'approved' or cardinality(approved_by) >= quorum or overridden_by is not null),
        add constraint approvals_overridden_by_one
          check (overridden_by is null or state in ('approved', 'void') and not overridden_by = any (requesters));

      create table approval_overrides (
        tenant_id uuid not null,
        approval_id uuid not null,
        member_id uuid not null,
        reason text not null,
        at timestamptz not null,
        reviewed_by uuid check (reviewed_by <> member_id),
        reviewed_at timestamptz,
        review_note text,
        primary key (tenant_id, approval_id),
        check ((reviewed_by is null) = (reviewed_at is null) and (reviewed_by is null) = (review_note is null))
      );
      create index approval_overrides_open on approval_overrides (tenant_id, at) where reviewed_at is null;
      ${secureTenantTable('approval_overrides', {
        app: ['select', 'insert', 'update (reviewed_by, reviewed_at, review_note)'],
      })}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table approval_overrides;
      alter table approvals
        drop column overridden_by,
        add constraint approvals_check1 check (state <> 'approved' or cardinality(approved_by) >= quorum);
      drop table break_glass_rights`);
  }
}
