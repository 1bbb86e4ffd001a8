import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

export class SocketMode1800000002410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The connection to Slack of an organization whose server Slack cannot reach.
      create table slack_sockets (
        tenant_id uuid primary key,
        -- changes with the token
        revision uuid not null,
        sealed_token bytea not null,
        -- the member who entered the token
        created_by uuid not null,
        connected_at timestamptz,
        -- since when there is no connection
        disconnected_at timestamptz,
        attempts int not null default 0,
        last_error text,
        next_attempt_at timestamptz not null default now(),
        -- the process that holds the connection
        lease_token uuid,
        lease_until timestamptz,
        check ((connected_at is null) <> (disconnected_at is null))
      );
      ${secureTenantTable('slack_sockets', { system: ['select', 'update'] })}

      -- messages from before this migration have no app, so they decide nothing in socket mode
      alter table slack_decision_messages add column slack_app_id text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table slack_decision_messages drop column slack_app_id;
      drop table slack_sockets`);
  }
}
