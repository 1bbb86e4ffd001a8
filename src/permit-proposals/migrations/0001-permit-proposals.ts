import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Permits that are suggested after identical approvals. The argument values stay in the ledger. */
export class PermitProposals1800000002210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table permit_proposals (
        tenant_id uuid not null references tenants (id),
        id uuid not null,
        configuration_id uuid not null,
        tool text not null,
        principal_kind text not null check (principal_kind in ('agent', 'member')),
        principal_id uuid not null,
        arguments_hash bytea not null,
        definition_hash text not null,
        step_name text not null,
        approval_ids uuid[] not null, -- newest first
        is_same_surface boolean not null,
        is_untainted boolean not null,
        state text not null check (state in ('open', 'drafted', 'dismissed')),
        created_at timestamptz not null,
        closed_at timestamptz,
        closed_by uuid,
        closer text,
        primary key (tenant_id, id),
        constraint permit_proposals_once
          unique (tenant_id, configuration_id, tool, principal_kind, principal_id, arguments_hash),
        check ((state = 'open') = (closed_at is null)),
        check (closed_at is null or closer is not null)
      );
      ${secureTenantTable('permit_proposals')}

      -- the last decided approvals of a configuration
      create index approvals_closed on approvals (tenant_id, configuration_id, id)
        where state not in ('waiting', 'pending')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index approvals_closed; drop table permit_proposals');
  }
}
