import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People and identities get random ids to be shown next to their pseudonyms. */
export class PseudonymIds1800000001400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table spend_people add pseudonym_id uuid not null default gen_random_uuid(), add unique (tenant_id, pseudonym_id);
      alter table spend_identities add pseudonym_id uuid not null default gen_random_uuid(), add unique (tenant_id, pseudonym_id);
      alter table spend_settings drop pseudonym_key`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table spend_settings add pseudonym_key bytea not null
        default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
      alter table spend_identities drop pseudonym_id;
      alter table spend_people drop pseudonym_id`);
  }
}
