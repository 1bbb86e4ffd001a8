import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who said what a tool does. A first definition counts as known without anybody; that is told apart from now on. */
export class ToolConfirmations1790000001402 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tools add column confirmed_at timestamptz, add column confirmed_by uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tools drop column confirmed_at, drop column confirmed_by');
  }
}
