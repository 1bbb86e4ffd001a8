import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A stream stops at a record that its receiver rejects, until a person decides. */
export class AuditStreamStops1800000001882 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table audit_streams add stopped_at timestamptz, add rejected_position bigint, add rejected_head_size bigint,
         add rejected_count bigint not null default 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table audit_streams drop rejected_count, drop rejected_head_size, drop rejected_position, drop stopped_at',
    );
  }
}
