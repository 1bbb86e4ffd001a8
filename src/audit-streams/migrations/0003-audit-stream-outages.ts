import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Administrators are notified once per outage of a stream. */
export class AuditStreamOutages1800000002400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table audit_streams add failing_since timestamptz, add outage_notified_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table audit_streams drop outage_notified_at, drop failing_since');
  }
}
