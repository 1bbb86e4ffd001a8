import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** No foreign keys: events outlive their subjects. Append-only twice: by grant, and by trigger for whoever is granted more. */
export class AuditTables1790000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_events (
        tenant_id uuid not null,
        id uuid not null,
        at timestamptz not null,
        kind text not null,
        actor jsonb not null,
        subject jsonb,
        detail jsonb not null,
        request_id uuid,
        primary key (tenant_id, id)
      )`);
    await runner.query('create index audit_events_by_kind on audit_events (tenant_id, kind, id)');
    await tenantTable(runner, 'audit_events', { app: ['select', 'insert'], system: ['select', 'insert'] });
    await runner.query(`
      create function audit_is_append_only() returns trigger language plpgsql
      as $$ begin raise exception 'audit events are never changed or removed' using errcode = 'insufficient_privilege'; end $$`);
    await runner.query(`
      create trigger audit_is_append_only before update or delete or truncate on audit_events
      for each statement execute function audit_is_append_only()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table audit_events');
    await runner.query('drop function audit_is_append_only');
  }
}
