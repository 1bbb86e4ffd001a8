import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** An approver can change the arguments of a pending call. The replaced versions are stored as long as the call. */
export class CallEdits1800000002001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tool_calls add column edited_by uuid[] not null default '{}';

      create table call_versions (
        tenant_id uuid not null,
        call_id uuid not null,
        version int not null check (version > 0), -- 1: as the caller requested it
        arguments_sealed bytea not null,
        arguments_hash bytea not null,
        replaced_by uuid not null, -- the member who edited this version
        replaced_at timestamptz not null,
        primary key (tenant_id, call_id, version),
        foreign key (tenant_id, call_id) references tool_calls (tenant_id, id) on delete cascade
      );
      ${secureTenantTable('call_versions', { app: ['select', 'insert'] })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table call_versions;
      alter table tool_calls drop column edited_by;
    `);
  }
}
