import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class SlackSecretHolders1800000001872 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Members who entered a bot token or a signing secret. They know it even after the channel is removed.
      create table slack_secret_holders (
        tenant_id uuid not null,
        id uuid not null default gen_random_uuid(),
        fingerprint bytea not null,
        -- null: it is not known who entered the secret
        member_id uuid,
        primary key (tenant_id, id),
        unique nulls not distinct (tenant_id, fingerprint, member_id)
      );
      ${secureTenantTable('slack_secret_holders', { app: ['select', 'insert'] })}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table slack_secret_holders');
  }
}
