import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By what people and identities are numbered where pseudonyms are shown; drawn anew with these. */
export class PseudonymKeys1790000001412 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table spend_settings add column pseudonym_key bytea not null
      default sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table spend_settings drop column pseudonym_key');
  }
}
