import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls that hand a task on, and what the policies of those said that handed one on. */
export class DelegatedCalls1790000001420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tool_calls add column narrowed_by jsonb, add column is_delegation boolean not null default false`);
    await runner.query('alter table tool_calls alter column is_delegation drop default');
    await runner.query('alter table tools drop constraint tools_operation_check');
    await runner.query(`
      alter table tools add constraint tools_operation_check
      check (operation in ('tool', 'resources', 'prompts', 'completions', 'delegation'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tools drop constraint tools_operation_check');
    await runner.query(`
      alter table tools add constraint tools_operation_check
      check (operation in ('tool', 'resources', 'prompts', 'completions'))`);
    await runner.query('alter table tool_calls drop column narrowed_by, drop column is_delegation');
  }
}
