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
  container: string | null;
  position: string | null;
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
  language: string;
}

/** `words`: a bit for each word number of the query that the passage contains, the lowest for word 1. */
export type ScoredPassage = PassageRow & { score: number; words: number };
/** Every row contains the statistics of the corpus. An empty result has one row, without a passage. */
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
export type ReaderParams = [tenantId: string, connectionIds: readonly string[], readerIds: readonly string[]];
/** The partitions that the reader may read. */
const readablePartitions = `tenant_id = $1 and connection_id = any($2::uuid[]) and (group_ids is null or group_ids && $3::uuid[])
        and (audience_id is null or audience_id in (select unnest($3::uuid[])))`;

const passageColumns = `c.id as chunk_id, c.number, c.heading, c.text, c.unit, c.starts, c.ends, d.id as document_id, d.connection_id, d.external_id,
           d.kind, d.title, d.author, d.container, d.position, d.language, d.url, d.updated_at,
           greatest(d.indexed_at, s.complete_at) as retrieved_at`;

/** The languages of the documents that the reader may read. */
export const listReadableLanguages = statement<ReaderParams, { languages: string[] | null }>(
  `
    select array_agg(distinct language order by language) as languages
    from index_partitions, unnest(languages) as language where ${readablePartitions}`,
  { name: 'knowledge.languages' },
);

/** Null: no filter. Text is compared case-insensitively. */
export type FilterParams = [
  container: string | null,
  author: string | null,
  changedSince: Date | null,
  changedBefore: Date | null,
];
/**
 * Whether the document of a passage matches the filters. `of` is a table with `chunk_id`, and `last` the number of the
 * parameter before the filters.
 */
const matchesFilter = (of: string, last: number) => `exists (
        select from chunks c join documents d on d.tenant_id = $1 and d.id = c.document_id
        where c.tenant_id = $1 and c.id = ${of}.chunk_id
          and ${documentMatches(last)})`;
const documentMatches = (last: number) => `($${last + 1}::text is null or lower(d.container) = lower($${last + 1}))
          and ($${last + 2}::text is null or lower(d.author) = lower($${last + 2}))
          and ($${last + 3}::timestamptz is null or d.updated_at >= $${last + 3})
          and ($${last + 4}::timestamptz is null or d.updated_at < $${last + 4})`;

type SearchParams = [
  ...ReaderParams,
  terms: readonly string[],
  wordNumbers: readonly number[],
  boosts: readonly number[],
  limit: number,
  kind: DocumentKind | null,
];

/**
 * BM25 over rows: equality on a b-tree is leakproof, so the planner can use the index under row-level security.
 * Partitions that the reader may not read are not scanned, so scores and counts reveal nothing about them. A word can
 * have a term for each language; these terms share the frequency of the word.
 */
const bm25 = (filter: string) => `
    with readable as materialized (
      select id, documents, chunks, terms from index_partitions where ${readablePartitions} and ($8::text is null or kind = $8)
    ), size as materialized (
      select coalesce(sum(documents), 0)::int as documents, coalesce(sum(chunks), 0)::int as chunks,
             coalesce(sum(terms)::float8 / nullif(sum(chunks), 0)::float8, 1) as average
      from readable
    ), found as materialized (
      select term, chunk_id, weight, length
      from postings
      where tenant_id = $1 and partition_id = any(array(select id from readable)) and term = any($4::text[])
    ), counts as materialized (
      select term, word, boost, sum(coalesce(count, 0)) over (partition by word) as frequency
      from unnest($4::text[], $5::int[], $6::float8[]) as query (term, word, boost)
      join (select term, count(*)::int as count from found group by term) own using (term)
    ), rarities as materialized (
      select term, word, least(frequency, (select chunks from size))::int as frequency,
             boost * ln(1 + (greatest((select chunks from size) - frequency, 0) + 0.5::float8) / (frequency + 0.5::float8)) as idf
      from counts
    ), best as (
      select f.chunk_id,
             sum(r.idf * f.weight * ${k1 + 1}::float8
                 / (f.weight + ${k1 * (1 - b)}::float8 + f.length * (select ${k1 * b}::float8 / greatest(average, 1) from size))) as score,
             bit_or(1::int8 << (r.word - 1)) as words
      from found f join rarities r using (term)${filter}
      group by f.chunk_id
      order by score desc, f.chunk_id
      limit $7
    ), passages as (
      select b.score, b.words::float8 as words, ${passageColumns}
      from best b
      join chunks c on c.tenant_id = $1 and c.id = b.chunk_id
      join documents d on d.tenant_id = $1 and d.id = c.document_id
      left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    )
    select size.*, (select json_object_agg(term, frequency) from rarities) as frequencies, passages.*
    from size left join passages on true
    order by score desc, chunk_id`;

export const searchPassages = statement<SearchParams, SearchRow>(bm25(''), { name: 'knowledge.search' });

export const searchFilteredPassages = statement<[...SearchParams, ...FilterParams], SearchRow>(
  bm25(`\n      where ${matchesFilter('f', 8)}`),
  { name: 'knowledge.search-filtered' },
);

/** With the weights of the searched terms, and the length for BM25. Both are null if the passage contains none of them. */
export type TermMatchRow = PassageRow & { weights: Record<string, number> | null; length: number | null };
/** In no particular order, without passages that the reader may not read. */
const matchedPassages = (selected: string) => `
    select ${passageColumns}, matches.weights, matches.length
    from chunks c
    join documents d on d.tenant_id = $1 and d.id = c.document_id
    left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    cross join lateral (
      select json_object_agg(term, weight) as weights, max(length) as length from postings
      where tenant_id = $1 and partition_id = d.partition_id and term = any($5::text[]) and chunk_id = c.id
    ) matches
    where c.tenant_id = $1 and ${selected}
      and d.partition_id = any(array(select id from index_partitions where ${readablePartitions}))`;

export const readPassages = statement<
  [...ReaderParams, chunkIds: readonly string[], terms: readonly string[]],
  TermMatchRow
>(matchedPassages('c.id = any($4::uuid[])'), { name: 'knowledge.passages' });

/** The first passages of documents. */
export const readFirstPassages = statement<
  [...ReaderParams, documentIds: readonly string[], terms: readonly string[], limit: number],
  TermMatchRow
>(matchedPassages('c.document_id = any($4::uuid[]) and c.number < $6'), { name: 'knowledge.first-passages' });

/**
 * Documents that passages name. Those that the reader may not read are missing, as if they did not exist. The filters of
 * the search apply, because a policy can require them.
 */
export const findReferencedDocuments = statement<
  [
    ...ReaderParams,
    ticketKeys: readonly string[],
    urls: readonly string[],
    limit: number,
    kind: DocumentKind | null,
    ...FilterParams,
  ],
  { id: string; ticket_key: string | null; url: string | null }
>(
  `
    select d.id, d.ticket_key, d.url
    from documents d
    where d.tenant_id = $1 and d.chunk_count > 0
      and (d.ticket_key = any($4::text[]) or d.url_digest = any(array(select md5(url) from unnest($5::text[]) as url)))
      and d.partition_id = any(array(select id from index_partitions where ${readablePartitions}))
      and ($7::text is null or d.kind = $7)
      and ${documentMatches(7)}
    order by d.id
    limit $6`,
  { name: 'knowledge.referenced-documents' },
);

type NearestParams = [...ReaderParams, spaceId: string, bits: string, limit: number, kind: DocumentKind | null];
export interface PassageVector {
  chunk_id: string;
  vector: Buffer;
}

/**
 * The passages with the fewest signs that differ from those of the query, in no particular order. Compares the bits of all
 * vectors in the partitions that the reader may read, and no others. The inner query only reads the primary key.
 */
const nearest = (filter: string) => `
    select v.chunk_id, v.vector
    from (
      select v.partition_id, v.chunk_id
      from passage_vectors v
      where v.tenant_id = $1 and v.space_id = $4 and v.bits is not null
        and v.partition_id = any(array(select id from index_partitions where ${readablePartitions} and ($7::text is null or kind = $7)))${filter}
      order by bit_count(v.bits # $5::bit varying), v.chunk_id
      limit $6
    ) best
    join passage_vectors v
      on v.tenant_id = $1 and v.partition_id = best.partition_id and v.space_id = $4 and v.chunk_id = best.chunk_id`;

export const nearestPassages = statement<NearestParams, PassageVector>(nearest(''), { name: 'knowledge.nearest' });

export const nearestFilteredPassages = statement<[...NearestParams, ...FilterParams], PassageVector>(
  nearest(` and ${matchesFilter('v', 7)}`),
  { name: 'knowledge.nearest-filtered' },
);

/** The vectors of passages that a search by words found. */
export const readVectors = statement<[tenantId: string, spaceId: string, chunkIds: readonly string[]], PassageVector>(
  `
    select chunk_id, vector from passage_vectors
    where tenant_id = $1 and space_id = $2 and chunk_id = any($3::uuid[]) and bits is not null`,
  { name: 'knowledge.vectors' },
);

/** In the order in which they were first indexed. */
export const listReadableDocuments = statement<[...ReaderParams, afterId: string | null, limit: number], DocumentRow>(
  `
    select d.id as document_id, d.connection_id, d.kind, d.title, d.author, d.container, d.position, d.url, d.updated_at,
           greatest(d.indexed_at, s.complete_at) as retrieved_at
    from documents d
    left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    where d.tenant_id = $1 and d.partition_id = any(array(select id from index_partitions where ${readablePartitions}))
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
    where d.tenant_id = $1 and d.id = $4 and d.partition_id = any(array(select id from index_partitions where ${readablePartitions}))
    order by c.number
    limit $6`,
  { name: 'knowledge.read' },
);
