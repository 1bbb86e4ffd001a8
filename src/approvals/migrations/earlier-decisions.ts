import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what people decided on a tool before, newest first, and what a task had to wait for. */
export class EarlierDecisions1790000001340 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index approvals_earlier on approvals (tenant_id, configuration_id, tool, id)
      where state in ('approved', 'denied')`);
    await runner.query('create index approvals_of_task on approvals (tenant_id, task_id) where task_id is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index approvals_earlier, approvals_of_task');
  }
}
