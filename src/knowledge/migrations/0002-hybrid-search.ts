import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Container and position of documents in their source, language, index version, and vectors of passages. */
export class HybridSearch1800000002620 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table documents
        add column container text,
        add column position text,
        add column language text not null default 'en',
        add column index_version smallint not null default 1,
        add column embedded_space_id uuid;
      create index documents_by_index_version on documents (index_version, tenant_id);
      create index documents_by_embedded_space on documents (tenant_id, embedded_space_id);
      create policy system on documents to cs_system using (true);
      grant select (tenant_id, index_version) on documents to cs_system;

      -- languages are never removed: a language without documents costs a query one term per word
      alter table shelves add column languages text[] not null default '{en}';

      -- vectors of one model with the same dimensions and prefix; only vectors of the same space are comparable
      create table embedding_spaces (
        tenant_id uuid not null,
        id uuid not null,
        connection_id uuid not null,
        model text not null,
        passage_prefix text not null,
        dimensions int,
        due_at timestamptz not null default now(),
        running_until timestamptz,
        failure text,
        failures int not null default 0,
        primary key (tenant_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      create index embedding_spaces_by_connection on embedding_spaces (tenant_id, connection_id);
      ${secureTenantTable('embedding_spaces', { system: ['select (tenant_id, connection_id)'] })}

      -- bits: the signs of the components; vector: one signed byte per component, empty if the model cannot embed the passage.
      -- No foreign key, as for postings. The primary key includes the bits, so that a search reads only the vectors that it returns.
      create table passage_vectors (
        tenant_id uuid not null,
        shelf_id uuid not null,
        space_id uuid not null,
        chunk_id uuid not null,
        bits bit varying,
        vector bytea not null,
        primary key (tenant_id, shelf_id, space_id, chunk_id) include (bits)
      );
      create index passage_vectors_by_chunk on passage_vectors (tenant_id, chunk_id);
      ${secureTenantTable('passage_vectors', { app: ['select', 'insert', 'delete'] })}

      create table embedding_usage (
        tenant_id uuid not null,
        connection_id uuid not null,
        month date not null,
        requests int not null,
        tokens bigint not null,
        primary key (tenant_id, connection_id, month),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('embedding_usage')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table embedding_usage;
      drop table passage_vectors;
      drop table embedding_spaces;
      alter table shelves drop column languages;
      revoke select (tenant_id, index_version) on documents from cs_system;
      drop policy system on documents;
      alter table documents
        drop column container, drop column position, drop column language, drop column index_version,
        drop column embedded_space_id;
    `);
  }
}
