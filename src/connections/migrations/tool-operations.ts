import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What else than calling a tool is asked of a connected system, and decided about like one. */
export class ToolOperations1790000001120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tools add column operation text not null default 'tool'
        check (operation in ('tool', 'resources', 'prompts', 'completions'))`);
    await runner.query('alter table tools alter column operation drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tools drop column operation');
  }
}
