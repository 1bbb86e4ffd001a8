import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Signed records of the events that retention removed. sql/retention.sql removes events and adds these records. */
export class AuditTombstones1800000001840 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_tombstones (
        tenant_id uuid not null,
        start_position bigint not null,
        end_position bigint not null check (end_position > start_position), -- excluded
        frontier bytea not null, -- roots of the complete subtrees before end_position, the largest first
        cutoff timestamptz not null,
        at timestamptz not null,
        epoch int not null,
        signature bytea not null,
        primary key (tenant_id, start_position)
      );
      ${secureTenantTable('audit_tombstones', { app: ['select'], sealer: ['select'] })}
      grant select on audit_heads to cs_sealer;

      -- the function runs as the owner, who is subject to row-level security too
      create policy owner on audit_events to current_user using (true);
      create policy owner on audit_seals to current_user using (true);
      create policy owner on audit_heads for select to current_user using (true);
      create policy owner on audit_tombstones to current_user using (true);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function if exists cs_remove_audit_events;
      drop policy owner on audit_heads;
      drop policy owner on audit_seals;
      drop policy owner on audit_events;
      revoke select on audit_heads from cs_sealer;
      drop table audit_tombstones`);
  }
}
