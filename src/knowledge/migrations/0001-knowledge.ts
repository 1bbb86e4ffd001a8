import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/**
 * Documents in chunks and a search index of rows. It needs no extension and no operator that is slow with row-level
 * security.
 */
export class KnowledgeBaseline1800000000400 extends Baseline {
  protected readonly sql = `
    -- how far the sync of a connection is; run_id fences a run that was superseded
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
    );
    create index sources_due on sources (next_at);
    ${secureTenantTable('sources', { system: ['select', 'insert', 'update'] })}

    -- documents of one connection and kind that the same groups (null: everybody) may read, and their counts
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
    );
    create index shelves_by_connection on shelves (tenant_id, connection_id);
    ${secureTenantTable('shelves')}

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
    );
    ${secureTenantTable('documents')}

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
    );
    ${secureTenantTable('chunks')}

    -- no foreign key: checking millions of rows one by one would cost more than the rest of a sync
    create table postings (
      tenant_id uuid not null,
      shelf_id uuid not null,
      term text collate "C" not null,
      chunk_id uuid not null,
      weight smallint not null,
      length smallint not null,
      primary key (tenant_id, shelf_id, term, chunk_id) include (weight, length)
    );
    create index postings_by_chunk on postings (tenant_id, chunk_id);
    ${secureTenantTable('postings', { app: ['select', 'insert', 'delete'] })}

    -- documents that ended two worker processes: names and hashes, no content. The id is derived from connection and name, so
    -- that no index holds names of any length.
    create table knowledge_quarantine (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      digest text not null,
      size int not null,
      reason text not null,
      quarantined_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    create index knowledge_quarantine_by_connection on knowledge_quarantine (tenant_id, connection_id);
    ${secureTenantTable('knowledge_quarantine')}
  `;
}
