import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { DocumentKind } from './document.entity.js';

export const insertPartition = statement<
  [
    tenantId: string,
    id: string,
    connectionId: string,
    kind: DocumentKind,
    groupIds: readonly string[] | null,
    audienceId: string | null,
  ]
>(
  `
    insert into index_partitions (tenant_id, id, connection_id, kind, group_ids, audience_id, documents, chunks, terms, languages)
    values ($1, $2, $3, $4, $5::uuid[], $6, 0, 0, 0, '{}') on conflict do nothing`,
  { name: 'knowledge.insert-partition' },
);

/** Null: everyone who may use the connection may read the partition. */
export const findPartitionGroups = statement<[tenantId: string, partitionId: string], { groups: string[] | null }>(
  'select group_ids as groups from index_partitions where tenant_id = $1 and id = $2',
);

export interface ConnectionSize {
  /** of the connection */
  id: string;
  documents: number;
  chunks: number;
}
export const listConnectionSizes = statement<[tenantId: string, connectionIds: readonly string[]], ConnectionSize>(`
  select connection_id as id, sum(documents)::int as documents, sum(chunks)::int as chunks
  from index_partitions where tenant_id = $1 and connection_id = any ($2) group by connection_id`);

export const deletePartitions = statement<[tenantId: string, connectionId: string]>(
  'delete from index_partitions where tenant_id = $1 and connection_id = $2',
);

/** Serializes writers of one document, because a row that does not exist cannot be locked. */
export const lockDocumentName = advisoryLock<[connectionAndExternalId: string]>('hashtextextended($1, 0)', {
  name: 'knowledge.lock-name',
});

/** What a change of a document subtracts from its partition. */
export interface IndexedDocument {
  id: string;
  partition_id: string;
  chunk_count: number;
  term_count: number;
}
export const findDocument = statement<[tenantId: string, connectionId: string, externalId: string], IndexedDocument>(
  `
    select id, partition_id, chunk_count, term_count
    from documents where tenant_id = $1 and connection_id = $2 and external_id = $3 for update`,
  { name: 'knowledge.find-document' },
);

export const upsertDocument = statement<
  [
    tenantId: string,
    id: string,
    connectionId: string,
    externalId: string,
    kind: DocumentKind,
    title: string,
    author: string | null,
    url: string | null,
    mediaType: string,
    partitionId: string,
    fingerprint: string,
    chunkCount: number,
    termCount: number,
    updatedAt: Date | null,
    container: string | null,
    position: string | null,
    language: string,
    indexVersion: number,
  ],
  { id: string }
>(
  `
    insert into documents (tenant_id, id, connection_id, external_id, kind, title, author, url, media_type, partition_id, fingerprint,
                           chunk_count, term_count, updated_at, container, position, language, index_version, indexed_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, now())
    on conflict (tenant_id, connection_id, external_id) do update
    set kind = $5, title = $6, author = $7, url = $8, media_type = $9, partition_id = $10, fingerprint = $11,
        chunk_count = $12, term_count = $13, updated_at = $14, container = $15, position = $16, language = $17, index_version = $18,
        embedded_space_id = null, indexed_at = now()
    returning id`,
  { name: 'knowledge.upsert-document' },
);

export const insertChunks = statement<
  [
    tenantId: string,
    documentId: string,
    ids: readonly string[],
    headings: readonly string[],
    texts: readonly string[],
    units: readonly ('line' | 'page')[],
    starts: readonly number[],
    ends: readonly number[],
  ]
>(
  `
    insert into chunks (tenant_id, id, document_id, number, heading, text, unit, starts, ends)
    select $1, id, $2, number - 1, array(select jsonb_array_elements_text(heading)), text, unit, starts, ends
    from unnest($3::uuid[], $4::jsonb[], $5::text[], $6::text[], $7::int[], $8::int[])
         with ordinality as chunk (id, heading, text, unit, starts, ends, number)`,
  { name: 'knowledge.insert-chunks' },
);

export const insertPostings = statement<
  [
    tenantId: string,
    partitionId: string,
    terms: readonly string[],
    chunkIds: readonly string[],
    weights: readonly number[],
    lengths: readonly number[],
  ]
>(
  `
    insert into postings (tenant_id, partition_id, term, chunk_id, weight, length)
    select $1, $2, term, chunk_id, weight, length
    from unnest($3::text[], $4::uuid[], $5::smallint[], $6::smallint[]) as posting (term, chunk_id, weight, length)`,
  { name: 'knowledge.insert-postings' },
);

export const deletePostings = statement<[tenantId: string, documentId: string]>(
  `
    delete from postings
    where tenant_id = $1 and chunk_id = any(array(select id from chunks where tenant_id = $1 and document_id = $2))`,
  { name: 'knowledge.delete-postings' },
);
export const deleteVectors = statement<[tenantId: string, documentId: string]>(
  `
    delete from passage_vectors
    where tenant_id = $1 and chunk_id = any(array(select id from chunks where tenant_id = $1 and document_id = $2))`,
  { name: 'knowledge.delete-vectors' },
);
export const deleteChunks = statement<[tenantId: string, documentId: string]>(
  'delete from chunks where tenant_id = $1 and document_id = $2',
  { name: 'knowledge.delete-chunks' },
);
export const deleteDocument = statement<[tenantId: string, id: string]>(
  'delete from documents where tenant_id = $1 and id = $2',
  { name: 'knowledge.delete-document' },
);

/** Moves a document without passages. The empty fingerprint makes the next sync read it again. */
export const hideDocument = statement<[tenantId: string, id: string, partitionId: string, kind: DocumentKind]>(
  `
    update documents set partition_id = $3, kind = $4, fingerprint = '', chunk_count = 0, term_count = 0, embedded_space_id = null
    where tenant_id = $1 and id = $2`,
  { name: 'knowledge.hide-document' },
);

/** Adds to the counts (negative numbers subtract), and adds the language unless it is null. */
export const updatePartitionSize = statement<
  [tenantId: string, partitionId: string, documents: number, chunks: number, terms: number, language: string | null]
>(
  `
    update index_partitions
    set documents = documents + $3, chunks = chunks + $4, terms = terms + $5,
        languages = case when $6::text is null or $6 = any(languages) then languages else languages || $6 end
    where tenant_id = $1 and id = $2`,
  { name: 'knowledge.resize-partition' },
);

/** A document with terms of an earlier index version. */
export interface OutdatedDocument {
  id: string;
  connectionId: string;
  externalId: string;
  title: string;
  mediaType: string;
}
export const findOutdatedDocuments = statement<
  [tenantId: string, indexVersion: number, limit: number],
  OutdatedDocument
>(`
  select id, connection_id as "connectionId", external_id as "externalId", title, media_type as "mediaType"
  from documents where tenant_id = $1 and index_version < $2 limit $3`);

export const findOutdatedChunks = statement<
  [tenantId: string, documentId: string],
  { id: string; heading: string[]; text: string }
>(`select id, heading, text from chunks where tenant_id = $1 and document_id = $2 order by number`);

/** Null keeps the stored value. Updates no row if the document was indexed again in the meantime. */
export const setIndexVersion = statement<
  [tenantId: string, id: string, indexVersion: number, language: string | null, termCount: number | null]
>(`
  update documents
  set index_version = $3, language = coalesce($4, language), term_count = coalesce($5, term_count)
  where tenant_id = $1 and id = $2 and index_version < $3`);
