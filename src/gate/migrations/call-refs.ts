import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the turns of a task call a call: by it the call is found again, however long ago it was made. */
export class CallRefs1790000000801 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table tool_calls add column call_refs text[] not null default '{}'`);
    await runner.query('alter table tool_calls alter column call_refs drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tool_calls drop column call_refs');
  }
}
