import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SlackApps1800000001730 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table notification_channels
        add column sealed_signing_secret bytea,
        add column slack_team_id text,
        add column created_by uuid,
        add check ((sealed_signing_secret is null) = (slack_team_id is null)),
        add check (sealed_signing_secret is null or created_by is not null)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table notification_channels drop column sealed_signing_secret, drop column slack_team_id, drop column created_by`);
  }
}
