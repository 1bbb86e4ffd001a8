import type { MigrationInterface, QueryRunner } from 'typeorm';

export class MessageContents1800000001873 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // messages from before this migration have no hash, so they decide nothing
    await runner.query(`
      alter table slack_decision_messages add column content_hash text;
      create index slack_decision_messages_closed on slack_decision_messages (closed_at) where closed_at is not null;
      create policy system on slack_decision_messages to cs_system using (true);
      grant select, delete on slack_decision_messages to cs_system`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      revoke all on slack_decision_messages from cs_system;
      drop policy system on slack_decision_messages;
      drop index slack_decision_messages_closed;
      alter table slack_decision_messages drop column content_hash`);
  }
}
