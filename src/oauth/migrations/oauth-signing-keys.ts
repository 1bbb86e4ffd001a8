import type { MigrationInterface, QueryRunner } from 'typeorm';
import { backedUp } from '../../platform/database/tenant-table.js';

/** The keys behind `/oauth2/jwks`, the private halves sealed. They belong to the installation, not to a tenant. */
export class OauthSigningKeys1790000001025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table oauth_signing_keys (
        kid text primary key,
        sealed bytea not null,
        created_at timestamptz not null,
        retired_at timestamptz
      )`);
    await runner.query('alter table oauth_signing_keys enable row level security');
    await runner.query('alter table oauth_signing_keys force row level security');
    await runner.query('create policy system on oauth_signing_keys to cs_system using (true)');
    await runner.query('grant select, insert, update, delete on oauth_signing_keys to cs_system');
    await backedUp(runner, 'oauth_signing_keys');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table oauth_signing_keys');
  }
}
