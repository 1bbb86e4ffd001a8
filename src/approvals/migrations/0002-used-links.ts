import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UsedLinks1800000001710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // the messages whose link was used for a decision
    await runner.query(`alter table approvals add column used_links uuid[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table approvals drop column used_links');
  }
}
