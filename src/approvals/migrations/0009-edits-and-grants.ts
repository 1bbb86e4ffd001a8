import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an approval step lets its approvers do besides approving and denying. Both are off by default. */
export class EditsAndGrants1800000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval_steps
        add column allows_edit boolean not null default false,
        add column task_grant_max_uses int check (task_grant_max_uses between 1 and 100),
        add constraint approval_steps_edit_in_review check (not allows_edit or tier = 'review')
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table approval_steps drop column allows_edit, drop column task_grant_max_uses');
  }
}
