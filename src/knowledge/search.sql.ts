import { b, k1 } from './rank.js';
import type { DocumentKind } from './document.entity.js';

export interface CorpusRow {
  documents: number;
  chunks: number;
  average: number;
  frequencies: Record<string, number> | null;
}

export interface PassageRow {
  chunk_id: string;
  number: number;
  heading: string[];
  text: string;
  unit: 'line' | 'page';
  starts: number;
  ends: number;
  document_id: string;
  connection_id: string;
  external_id: string;
  kind: DocumentKind;
  title: string;
  author: string | null;
  url: string | null;
  updated_at: Date | null;
  retrieved_at: Date;
}

/** Of a search: the corpus stands in every row, and in a row of its own where nothing was found. */
export type ScoredRow = CorpusRow & ((PassageRow & { score: number }) | { chunk_id: null });
export type ReadRow = PassageRow & { chunk_count: number };

/** $1 tenant, $2 connections, $3 groups of the reader */
const mine = `tenant_id = $1 and connection_id = any($2::uuid[])
      and audience_id = any(array(select id from audiences where tenant_id = $1 and (group_ids is null or group_ids && $3::uuid[])))`;

const passage = `c.id as chunk_id, c.number, c.heading, c.text, c.unit, c.starts, c.ends, d.id as document_id, d.connection_id, d.external_id,
           d.kind, d.title, d.author, d.url, d.updated_at, greatest(d.indexed_at, s.complete_at) as retrieved_at`;

/**
 * BM25 over rows: equality on a b-tree is leakproof, so that row-level security leaves the index to us. What the reader may
 * not read is neither scored nor counted, so that no score tells of it. $4 terms, $5 how many
 */
const scored = (ofKind: string) => `
    with size as materialized (
      select coalesce(sum(documents), 0)::int as documents, coalesce(sum(chunks), 0)::int as chunks,
             coalesce(sum(terms)::float8 / nullif(sum(chunks), 0), 1) as average
      from corpus_sizes where ${mine}
    ), found as materialized (
      select term, chunk_id, weight, length from postings where ${mine} and term = any($4::text[])
    ), rarities as materialized (
      select term, count(*)::int as frequency, ln(1 + ((select chunks from size) - count(*) + 0.5) / (count(*) + 0.5))::float8 as idf
      from found group by term
    ), best as (
      select f.chunk_id, sum(r.idf * f.weight * ${k1 + 1} / (f.weight + ${k1} * (${1 - b} + ${b} * f.length / greatest((select average from size), 1)))) as score
      from found f join rarities r using (term)
      ${ofKind}
      group by f.chunk_id
      order by score desc, f.chunk_id
      limit $5
    ), passages as (
      select b.score, ${passage}
      from best b
      join chunks c on c.tenant_id = $1 and c.id = b.chunk_id
      join documents d on d.tenant_id = $1 and d.id = c.document_id
      left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    )
    select size.*, (select json_object_agg(term, frequency) from rarities) as frequencies, passages.*
    from size left join passages on true
    order by score desc, chunk_id`;

export const search = { name: 'knowledge.search', text: scored('') };

/** $6 kind. A statement of its own, since looking up the kind of every chunk would cost those who do not ask for it. */
export const searchKind = {
  name: 'knowledge.search-kind',
  text: scored(`join chunks c on c.tenant_id = $1 and c.id = f.chunk_id
      join documents d on d.tenant_id = $1 and d.id = c.document_id and d.kind = $6`),
};

/** $4 document, $5 first chunk, $6 how many. A document that the reader may not read has no rows, like one that is not there. */
export const read = {
  name: 'knowledge.read',
  text: `
    select ${passage}, d.chunk_count
    from (select * from documents where id = $4 and ${mine}) d
    join chunks c on c.tenant_id = $1 and c.document_id = d.id and c.number >= $5
    left join sources s on s.tenant_id = $1 and s.connection_id = d.connection_id
    order by c.number
    limit $6`,
};
