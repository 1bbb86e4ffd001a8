import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Which kinds of administration need a second administrator, and the changes that were proposed. */
export class TwoPersonAdministration1800000002100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table two_person_areas (
        tenant_id uuid not null references tenants (id),
        area text not null check (area in ('policies', 'tool_effects', 'approval_steps', 'approver_groups', 'roles',
                                           'sign_in_providers', 'connection_targets', 'break_glass')),
        enabled_by uuid not null,
        enabled_at timestamptz not null,
        primary key (tenant_id, area)
      );
      ${secureTenantTable('two_person_areas', { app: ['select', 'insert', 'delete'] })}

      -- "input" is sealed, because it may contain credentials. It is erased when the change is closed.
      create table proposed_changes (
        tenant_id uuid not null references tenants (id),
        id uuid not null,
        kind text not null,
        areas text[] not null,
        title text not null,
        subject_type text not null,
        subject_id text not null,
        subject_name text,
        fields jsonb not null,
        basis bytea not null,
        input bytea,
        reason text,
        state text not null check (state in ('open', 'confirmed', 'declined', 'withdrawn', 'outdated', 'expired')),
        proposed_by uuid not null,
        proposed_at timestamptz not null,
        expires_at timestamptz not null,
        decided_by uuid,
        decided_at timestamptz,
        decision_note text,
        primary key (tenant_id, id),
        check ((state = 'open') = (decided_at is null)),
        check ((state = 'open') = (input is not null)),
        check (state <> 'confirmed' or decided_by <> proposed_by)
      );
      create index proposed_changes_open on proposed_changes (tenant_id, expires_at) where state = 'open';
      ${secureTenantTable('proposed_changes', {
        app: ['select', 'insert', 'update (state, input, reason, decided_by, decided_at, decision_note)'],
        system: ['select'],
      })}

      -- its proposals are proposed changes from now on; the owner of a table is subject to its policies only if forced
      alter table introduced_reviewers no force row level security;
      delete from introduced_reviewers where confirmed_by is null;
      alter table introduced_reviewers force row level security;
      alter table introduced_reviewers alter column confirmed_by set not null, alter column confirmed_at set not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table introduced_reviewers alter column confirmed_by drop not null, alter column confirmed_at drop not null;
      drop table proposed_changes;
      drop table two_person_areas`);
  }
}
