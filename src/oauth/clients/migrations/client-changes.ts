import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../../platform/database/tenant-table.js';

/** Who registered a client, changed its registration, or was shown one of its secrets. */
export class ClientChanges1790000001552 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oauth_client_changes (
        tenant_id uuid not null,
        id uuid not null,
        client uuid not null,
        change text not null check (change in ('registered', 'updated', 'secret_shown')),
        changed_by uuid not null,
        at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, client) references oauth_clients (tenant_id, id)
      )`);
    await runner.query('create index oauth_client_changes_by_client on oauth_client_changes (tenant_id, client)');
    await tenantTable(runner, 'oauth_client_changes', { app: ['select', 'insert'] });
    await runner.query(`
      insert into oauth_client_changes (tenant_id, id, client, change, changed_by, at)
      select tenant_id, gen_random_uuid(), id, 'registered', created_by, created_at from oauth_clients
      where created_by is not null
      union all
      select tenant_id, gen_random_uuid(), client, 'secret_shown', created_by, created_at from oauth_client_secrets
      where created_by is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_client_changes');
  }
}
