import type { Connection } from '../connections/connection.entity.js';
import { statement } from '../platform/database/statement.js';
import type { DocumentKind } from './document.entity.js';
import { b, k1 } from './rank.js';

export interface CorpusRow {
  documents: number;
  chunks: number;
  average: number;
  frequencies: Record<string, number> | null;
}

export interface DocumentRow {
  document_id: string;
  connection_id: string;
  kind: DocumentKind;
  title: string;
  author: string | null;
  url: string | null;
  updated_at: Date | null;
  retrieved_at: Date;
}

export interface PassageRow extends DocumentRow {
  chunk_id: string;
  number: number;
  heading: string[];
  text: string;
  unit: 'line' | 'page';
  starts: number;
  ends: number;
  external_id: string;
}

export type ScoredPassage = PassageRow & { score: number };
/** A row of a search. Every row contains the corpus; an empty result has one row with the corpus alone. */
export type SearchRow = CorpusRow & { [Column in keyof ScoredPassage]: ScoredPassage[Column] | null };
export type DocumentChunkRow = PassageRow & { chunk_count: number };

/** `isRead`: it provides documents, and they were read completely at least once, or are pushed. */
export type SearchableConnection = Pick<Connection, 'id' | 'slug' | 'settings'> & { isRead: boolean };
/** Returns the connections that are neither paused nor removed. */
export const openConnections = statement<[tenantId: string, connectionIds: readonly string[]], SearchableConnection>(
  `
    select c.id, c.slug, c.settings,
           s.connection_id is not null and (s.complete_at is not null or s.next_at is null) as "isRead"
    from connections c left join sources s on s.tenant_id = c.tenant_id and s.connection_id = c.id
    where c.tenant_id = $1 and c.id = any($2::uuid[]) and c.paused_at is null and c.removed_at is null`,
  { name: 'knowledge.open-connections' },
);

/** `readerIds`: ids of the groups of the reader, and of the audiences that the reader belongs to. */
type ReaderParams = [tenantId: string, connectionIds: readonly string[], readerIds: readonly string[]];
/** The partitions that the reader may read. */
const readablePartitions = `tenant_id = $1 and connection_id = any($2::uuid[]) and (group_ids is null or group_ids && $3::uuid[])
        and (audience_id is null or audience_id in (select unnest($3::uuid[])))`;

const passageColumns = `c.id as chunk_id, c.number, c.heading, c.text, c.unit, c.starts, c.ends, d.id as document_id, d.connection_id, d.external_id,
           d.kind, d.title, d.author, d.url, d.updated_at, greatest(d.indexed_at, s.complete_at) as retrieved_at`;

/**
 * BM25 over rows: equality on a b-tree is leakproof, so the planner can use the index under row-level security.
 * Partitions that the reader may not read are not scanned, so scores and counts reveal nothing about them.
 */
export const searchPassages = statement<
  [...ReaderParams, terms: readonly string[], limit: number, kind: DocumentKind | null],
  SearchRow
>(
  `
    with shelf as materialized (
      select id, documents, chunks, terms from shelves where ${readablePartitions} and ($6::text is null or kind = $6)
    ), size as materialized (
      select coalesce(sum(documents), 0)::int as documents, coalesce(sum(chunks), 0)::int as chunks,
             coalesce(sum(terms)::float8 / nullif(sum(chunks), 0)::float8, 1) as average
      from shelf
    ), found as materialized (
      select term, chunk_id, weight, length
      from postings
      where tenant_id = $1 and shelf_id = any(array(select id from shelf)) and term = any($4::text[])
    ), rarities as materialized (
      select term, count(*)::int as frequency, ln(1 + ((select chunks from size) - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) as idf
      from found group by term
    ), best as (
      select f.chunk_id,
             sum(r.idf * f.weight * ${k1 + 1}::float8
                 / (f.weight + ${k1 * (1 - b)}::float8 + f.length * (select ${k1 * b}::float8 / greatest(average, 1) from size))) as score
      from found f join rarities r using (term)
      group by f.chunk_id
      order by score desc, f.chunk_id
      limit $5
    ), passages as (
      select b.score, ${passageColumns}
      from best b
      join chunks c on c.tenant_id = $1 and c.id = b.chunk_id
      join documents d on d.tenant_id = $1 and d.id = c.document_id
      left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    )
    select size.*, (select json_object_agg(term, frequency) from rarities) as frequencies, passages.*
    from size left join passages on true
    order by score desc, chunk_id`,
  { name: 'knowledge.search' },
);

/** In the order in which they were first indexed. */
export const listReadableDocuments = statement<[...ReaderParams, afterId: string | null, limit: number], DocumentRow>(
  `
    select d.id as document_id, d.connection_id, d.kind, d.title, d.author, d.url, d.updated_at,
           greatest(d.indexed_at, s.complete_at) as retrieved_at
    from documents d
    left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    where d.tenant_id = $1 and d.shelf_id = any(array(select id from shelves where ${readablePartitions}))
      and ($4::uuid is null or d.id > $4)
    order by d.id
    limit $5`,
  { name: 'knowledge.list' },
);

/** A document that the reader may not read returns no rows, as if it did not exist. */
export const readDocumentChunks = statement<
  [...ReaderParams, documentId: string, firstChunk: number, limit: number],
  DocumentChunkRow
>(
  `
    select ${passageColumns}, d.chunk_count
    from documents d
    join chunks c on c.tenant_id = $1 and c.document_id = d.id and c.number >= $5
    left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    where d.tenant_id = $1 and d.id = $4 and d.shelf_id = any(array(select id from shelves where ${readablePartitions}))
    order by c.number
    limit $6`,
  { name: 'knowledge.read' },
);
