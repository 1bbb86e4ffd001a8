import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** What the organization knows, cut into chunks, and an index of rows: no extension, no operator that row-level security disarms. */
export class KnowledgeTables1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await sources(runner);
    await shelves(runner);
    await documents(runner);
    await index(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table postings, chunks, documents, shelves, sources');
  }
}

/** How far the synchronization of a connection is. `run_id` fences a run that was overtaken by another. */
async function sources(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table sources (
      tenant_id uuid not null,
      connection_id uuid not null,
      connection_revision int,
      run_id uuid,
      running_until timestamptz,
      started_at timestamptz,
      finished_at timestamptz,
      complete_at timestamptz,
      next_at timestamptz,
      failure text,
      failures int not null default 0,
      seen int not null default 0,
      changed int not null default 0,
      removed int not null default 0,
      problem_count int not null default 0,
      problems jsonb not null default '[]',
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create index sources_due on sources (next_at)');
  await tenantTable(runner, 'sources', { system: ['select', 'insert', 'update'] });
}

/** Documents of one connection and kind that the same groups (null: everybody) may read, and how many they are. */
async function shelves(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table shelves (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      kind text not null check (kind in ('code', 'ticket', 'doc', 'message')),
      group_ids uuid[],
      documents int not null,
      chunks int not null,
      terms bigint not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    )`);
  await runner.query('create index shelves_by_connection on shelves (tenant_id, connection_id)');
  await tenantTable(runner, 'shelves');
}

async function documents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table documents (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      kind text not null check (kind in ('code', 'ticket', 'doc', 'message')),
      title text not null,
      author text,
      url text,
      media_type text not null,
      shelf_id uuid not null,
      fingerprint text not null,
      chunk_count int not null,
      term_count int not null,
      updated_at timestamptz,
      indexed_at timestamptz not null,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, external_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, shelf_id) references shelves (tenant_id, id)
    )`);
  await tenantTable(runner, 'documents');
  await runner.query(`
    create table chunks (
      tenant_id uuid not null,
      id uuid not null,
      document_id uuid not null,
      number int not null,
      heading text[] not null,
      text text not null,
      unit text not null check (unit in ('line', 'page')),
      starts int not null,
      ends int not null,
      primary key (tenant_id, id),
      unique (tenant_id, document_id, number),
      foreign key (tenant_id, document_id) references documents (tenant_id, id) on delete cascade
    )`);
  await tenantTable(runner, 'chunks');
}

async function index(runner: QueryRunner): Promise<void> {
  // no foreign key: checking millions of rows one by one would cost more than all the rest of a synchronization
  await runner.query(`
    create table postings (
      tenant_id uuid not null,
      shelf_id uuid not null,
      term text collate "C" not null,
      chunk_id uuid not null,
      weight smallint not null,
      length smallint not null,
      primary key (tenant_id, shelf_id, term, chunk_id) include (weight, length)
    )`);
  await runner.query('create index postings_by_chunk on postings (tenant_id, chunk_id)');
  await tenantTable(runner, 'postings', { app: ['select', 'insert', 'delete'] });
}
