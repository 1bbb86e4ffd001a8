import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks calls that ran although a pending approval was overridden. */
export class OverriddenCalls1800000002120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls add column is_overridden boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls drop column is_overridden');
  }
}
