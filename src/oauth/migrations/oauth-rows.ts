import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * What the authorization server remembers: interactions, codes, tokens, grants. Whatever opens something is there as its
 * SHA-256 alone. A tenant's own transactions list and end grants; everything else is the authorization server's.
 */
export class OauthRows1790000001010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oauth_rows (
        model text not null,
        id_hash bytea not null,
        payload jsonb not null,
        grant_id uuid,
        user_code_hash bytea,
        tenant_id uuid,
        member_id uuid,
        client_id text,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        consumed_at timestamptz,
        replay bytea,
        primary key (model, id_hash),
        foreign key (tenant_id, member_id) references members (tenant_id, id)
      )`);
    await runner.query('create index oauth_rows_by_grant on oauth_rows (grant_id) where grant_id is not null');
    await runner.query(
      `create unique index oauth_rows_grants on oauth_rows (tenant_id, member_id, client_id, grant_id) where model = 'Grant'`,
    );
    await runner.query(
      'create unique index oauth_rows_by_user_code on oauth_rows (user_code_hash) where user_code_hash is not null',
    );
    await runner.query('create index oauth_rows_by_expiry on oauth_rows (expires_at)');
    await runner.query('create index oauth_rows_with_replay on oauth_rows (consumed_at) where replay is not null');
    await tenantTable(runner, 'oauth_rows', {
      app: ['select', 'delete'],
      system: ['select', 'insert', 'update', 'delete'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_rows');
  }
}
