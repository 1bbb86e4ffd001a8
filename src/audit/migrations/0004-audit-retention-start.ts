import type { MigrationInterface, QueryRunner } from 'typeorm';

/** sql/retention.sql has another parameter: `create or replace` alone would leave the former function too. */
export class AuditRetentionStart1800000001881 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists cs_remove_audit_events');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists cs_remove_audit_events');
  }
}
