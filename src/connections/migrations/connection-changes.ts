import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who changed a connection last, so that somebody who meant to change it at the same time is told. */
export class ConnectionChanges1790000001401 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table connections add column changed_at timestamptz, add column changed_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table connections drop column changed_at, drop column changed_by');
  }
}
