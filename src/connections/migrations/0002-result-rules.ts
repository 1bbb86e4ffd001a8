import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happens to results. Null for connections and tools that exist: their results stay as they are. */
export class ResultRules1800000001862 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table connections add column result_rules jsonb');
    await runner.query('alter table tools add column result_rules jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tools drop column result_rules');
    await runner.query('alter table connections drop column result_rules');
  }
}
