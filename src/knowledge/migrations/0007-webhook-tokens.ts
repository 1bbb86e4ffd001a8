import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The token that a source sends to the webhook address, until an administrator has confirmed it in the source. */
export class WebhookTokens1800000002820 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sources add column webhook_token bytea, add column webhook_token_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sources drop column webhook_token, drop column webhook_token_at');
  }
}
