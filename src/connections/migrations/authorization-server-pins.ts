import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Where people of the organization may be sent to sign in for a connection: what an administrator confirmed. */
export class AuthorizationServerPins1790000001562 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table connection_authorization_servers (
        tenant_id uuid not null,
        connection_id uuid not null,
        confirmed jsonb not null,
        confirmed_by uuid,
        confirmed_at timestamptz not null,
        primary key (tenant_id, connection_id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await tenantTable(runner, 'connection_authorization_servers');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table connection_authorization_servers');
  }
}
