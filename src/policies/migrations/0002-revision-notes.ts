import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Publishers can say why they change the policies. */
export class RevisionNotes1800000001850 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table policy_revisions add column note text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table policy_revisions drop column note');
  }
}
