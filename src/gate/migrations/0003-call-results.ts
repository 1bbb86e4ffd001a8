import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The hash of a call's original result, and what the rules of its tool found in it. */
export class CallResults1800000001864 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls add column result_hash bytea, add column result_notice jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls drop column result_hash, drop column result_notice');
  }
}
