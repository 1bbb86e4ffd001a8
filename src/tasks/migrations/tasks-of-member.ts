import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what a person handed over, through whatever product, newest first. */
export class TasksOfMember1790000001342 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index tasks_of_member on tasks (tenant_id, (principal ->> 'memberId'), id)
      where principal ->> 'memberId' is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index tasks_of_member');
  }
}
