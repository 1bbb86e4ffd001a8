import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SlackDecisions1800000001720 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // a member who adds a Slack app could cast the votes of several members, so a quorum is reached in the console only
    await runner.query(`
      alter table approval_steps add column decidable_in_slack boolean not null default false
        check (not decidable_in_slack or quorum = 1);
      alter table approvals add column decided_in_slack boolean not null default false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approvals drop column decided_in_slack;
      alter table approval_steps drop column decidable_in_slack`);
  }
}
