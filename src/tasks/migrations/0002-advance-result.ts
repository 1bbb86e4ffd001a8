import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The result of tasks_advance names its columns differently, so the function is created anew. */
export class AdvanceResult1800000001500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists tasks_advance(uuid, json)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function if exists tasks_advance(uuid, json)');
  }
}
