import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stored when the call is requested, so that a later change of the step does not apply to it. */
export class DecidableInSlack1800000001871 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table approvals add column decidable_in_slack boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table approvals drop column decidable_in_slack');
  }
}
