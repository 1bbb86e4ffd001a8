import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the outcome of a call holds words of another system. Where nothing is said, as of earlier calls, it may. */
export class ForeignOutcomes1790000001541 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls add column is_foreign boolean not null default true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls drop column is_foreign');
  }
}
