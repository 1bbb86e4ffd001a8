import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class ApprovalsBaseline1800000000500 extends Baseline {
  protected readonly sql = `
    create table approval_steps (
      tenant_id uuid not null,
      name text not null,
      tier text not null check (tier in ('confirm', 'review')),
      approver_group_id uuid,
      quorum int not null default 1 check (quorum between 1 and 10 and (quorum = 1 or tier = 'review')),
      expires_after_seconds int not null check (expires_after_seconds between 60 and 2592000),
      changed_at timestamptz not null,
      primary key (tenant_id, name)
    );
    ${secureTenantTable('approval_steps')}

    -- An approval is evidence: it outlives the call, the group and the members it names, so there are no foreign keys. The
    -- deciders are stored when the call is requested. A rerun of a call is decided again, in the next round.
    create table approvals (
      tenant_id uuid not null,
      id uuid not null,
      call_id uuid not null,
      configuration_id uuid not null,
      task_id text,
      tool text not null,
      step_name text not null,
      round int not null check (round > 0),
      tier text not null check (tier in ('confirm', 'review')),
      approver_group_id uuid,
      deciders uuid[] not null,
      quorum int not null default 1 check (quorum > 0),
      approved_by uuid[] not null default '{}',
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
      constraint approvals_once_a_round unique (tenant_id, call_id, step_name, round),
      check (state not in ('approved', 'denied') or decided_by is not null),
      check (state <> 'approved' or cardinality(approved_by) >= quorum),
      check ((state = 'pending') = (decided_at is null))
    );
    create index approvals_to_expire on approvals (expires_at) where state = 'pending';
    create index approvals_pending on approvals (tenant_id, configuration_id) where state = 'pending';
    create index approvals_earlier on approvals (tenant_id, configuration_id, tool, id) where state in ('approved', 'denied');
    create index approvals_of_task on approvals (tenant_id, task_id) where task_id is not null;
    ${secureTenantTable('approvals', { app: ['select', 'insert', 'update'], system: ['select'] })}
  `;
}
