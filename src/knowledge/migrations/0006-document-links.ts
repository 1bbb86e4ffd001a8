import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the documents that passages name, by the key of a ticket or by their address. */
export class DocumentLinks1800000002810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table documents
        -- stored, because under row-level security an index on an expression is not used
        add column ticket_key text
          generated always as (case when kind = 'ticket' then substring(title from '^([A-Z][A-Z0-9_]{1,19}-[0-9]{1,9}): ') end) stored,
        -- an index entry has a limited size
        add column url_digest text generated always as (md5(url)) stored;
      create index documents_by_ticket_key on documents (tenant_id, ticket_key) where ticket_key is not null;
      create index documents_by_url on documents (tenant_id, url_digest) where url_digest is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table documents drop column ticket_key, drop column url_digest');
  }
}
