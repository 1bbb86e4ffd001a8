import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** What a member has agreed to that a client may do for them: one row for each target, the scopes add up. */
export class OauthConsents1790000001020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oauth_consents (
        tenant_id uuid not null,
        id uuid not null,
        member_id uuid not null,
        client uuid not null,
        client_revision integer not null,
        resource text not null check (resource in ('api', 'mcp')),
        configuration_id uuid,
        scopes text[] not null,
        granted_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        primary key (tenant_id, id),
        unique nulls not distinct (tenant_id, member_id, client, resource, configuration_id),
        foreign key (tenant_id, member_id) references members (tenant_id, id),
        foreign key (tenant_id, client) references oauth_clients (tenant_id, id),
        foreign key (tenant_id, configuration_id) references configurations (tenant_id, id)
      )`);
    await tenantTable(runner, 'oauth_consents', {
      app: ['select', 'update'],
      system: ['select', 'insert', 'update'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_consents');
  }
}
