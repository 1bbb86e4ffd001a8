import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** When each approver first viewed the arguments of an approval, and when and where they decided. */
export class ApproverActivity1800000002200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- evidence, like approvals: no foreign keys, and rows are not deleted
      create table approver_activity (
        tenant_id uuid not null,
        approval_id uuid not null,
        member_id uuid not null,
        viewed_at timestamptz, -- in the console, before the decision
        decided_at timestamptz,
        decision text check (decision in ('approve', 'deny')),
        decided_in text check (decided_in in ('console', 'slack')),
        is_final boolean not null default false, -- the decision closed the step: not a vote that others have to complete
        records_views boolean not null default true, -- false: decided before views were recorded
        primary key (tenant_id, approval_id, member_id),
        check ((decided_at is null) = (decision is null)),
        check ((decided_at is null) = (decided_in is null)),
        check (decided_at is not null or viewed_at is not null),
        check (decided_at is not null or not is_final)
      );
      create index approver_activity_decided on approver_activity (tenant_id, decided_at) where decided_at is not null;
      create index approver_activity_unviewed on approver_activity (tenant_id, decided_at desc, approval_id, member_id)
        where decided_in = 'console' and viewed_at is null and records_views;

      -- the owner of the tables sees no rows either while row-level security is forced
      alter table approvals no force row level security;
      insert into approver_activity
        (tenant_id, approval_id, member_id, decided_at, decision, decided_in, is_final, records_views)
      select tenant_id, id, decided_by, decided_at, case state when 'denied' then 'deny' else 'approve' end,
             case when decided_in_slack then 'slack' else 'console' end, true, false
      from approvals where state in ('approved', 'denied');
      alter table approvals force row level security;
      ${secureTenantTable('approver_activity', { app: ['select', 'insert', 'update'] })}

      create index approvals_expired on approvals (tenant_id, decided_at) where state = 'expired'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index approvals_expired; drop table approver_activity');
  }
}
