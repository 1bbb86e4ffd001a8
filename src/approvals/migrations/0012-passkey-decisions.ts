import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Steps whose decisions are signed with a passkey. */
export class PasskeyDecisions1800000002300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval_steps add column requires_passkey boolean not null default false
        check (not requires_passkey or not decidable_in_slack);
      -- stored when the call is requested: a passkey that is registered later does not count
      alter table approvals
        add column requires_passkey boolean not null default false,
        add column passkey_ids uuid[] not null default '{}';

      -- Evidence, like approvals: rows are only added, and outlive the passkeys and the members.
      create table approval_assertions (
        tenant_id uuid not null,
        id uuid not null,
        approval_id uuid not null,
        member_id uuid not null,
        decision text not null check (decision in ('approve', 'deny')),
        passkey_id uuid not null,
        credential_id bytea not null,
        public_key bytea not null,
        statement text not null,
        client_data bytea not null,
        authenticator_data bytea not null,
        signature bytea not null,
        counter bigint not null,
        is_synced boolean not null,
        created_at timestamptz not null,
        primary key (tenant_id, id)
      );
      create index approval_assertions_of_approval on approval_assertions (tenant_id, approval_id);
      ${secureTenantTable('approval_assertions', { app: ['select', 'insert'] })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table approval_assertions;
      alter table approvals drop column requires_passkey, drop column passkey_ids;
      alter table approval_steps drop column requires_passkey;
    `);
  }
}
