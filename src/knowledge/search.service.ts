import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { isDerivedId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import { withSpan } from '../platform/telemetry/trace.js';
import type { Principal } from '../principal/principal.js';
import type { DocumentKind } from './document.entity.js';
import { documentNotFound } from './knowledge.error.js';
import { indexTerms } from './text/index-terms.js';
import { groupsByName, groupNamesOf } from './reader-groups.js';
import { listReadableAudiences } from './permissions/readable-audiences.sql.js';
import { contributions, coverage, idf, parseQuery, type Contribution, type CorpusStatistics } from './rank.js';
import {
  type CorpusRow,
  type DocumentChunkRow,
  type DocumentRow,
  listReadableDocuments,
  type SearchableConnection,
  openConnections,
  type PassageRow,
  readDocumentChunks,
  type ScoredPassage,
  searchPassages,
  type SearchRow,
} from './search.sql.js';
import { locationLabel } from './text/block.js';
import { snippetOf } from './text/snippet.js';

/** The scope of a search: the connections of the bundle and the groups of the reader. */
export interface KnowledgeReader {
  connectionIds: readonly string[];
  groups: readonly string[];
  /** The person who reads. Null: no person, so only audiences that are open to everyone can be read. */
  memberId: string | null;
}

export interface SearchInput {
  query: string;
  limit?: number;
  kind?: DocumentKind;
}

export interface SearchPassage {
  documentId: string;
  chunkId: string;
  title: string;
  url: string | null;
  /** slug of the connection */
  source: string;
  kind: DocumentKind;
  author: string | null;
  /** "lines 12–30", "page 2" */
  position: string;
  heading: string;
  snippet: string;
  /** [from, to) of the matching terms in the snippet */
  highlights: [number, number][];
  text: string;
  score: number;
  /** 0..1: share of the query words that the passage contains, weighted by IDF */
  coverage: number;
  why: Contribution[];
  updatedAt: Date | null;
  retrievedAt: Date;
}

/** A query term that was searched. */
export interface QueryTerm {
  term: string;
  idf: number;
  /** number of readable passages that contain it */
  passages: number;
}

export interface SearchResult {
  passages: SearchPassage[];
  terms: QueryTerm[];
  /** connections whose documents were searched */
  sources: number;
  /** documents in these connections that the reader may read */
  documents: number;
}

export interface DocumentExcerpt {
  documentId: string;
  title: string;
  url: string | null;
  source: string;
  kind: DocumentKind;
  text: string;
  position: string;
  /** number of the next chunk; null at the end */
  next: number | null;
  updatedAt: Date | null;
  retrievedAt: Date;
}

/** The metadata of a document that a citation needs. */
export interface ListedDocument {
  documentId: string;
  title: string;
  url: string | null;
  source: string;
  kind: DocumentKind;
  author: string | null;
  updatedAt: Date | null;
  retrievedAt: Date;
}

export interface DocumentList {
  documents: ListedDocument[];
  /** id of the last listed document; null at the end */
  next: string | null;
}

const defaultSearchLimit = 8;
const maxSearchLimit = 20;
/** Prevents a long document from filling the whole result. */
const maxPassagesPerDocument = 3;
const defaultListLimit = 100;
const readLimits = { chunks: 60, characters: 24_000 };

@Injectable()
export class SearchService {
  constructor(private readonly database: DatabaseService) {}

  search(
    principal: Principal,
    reader: KnowledgeReader,
    { query, limit = defaultSearchLimit, kind }: SearchInput,
  ): Promise<SearchResult> {
    return withSpan('knowledge.search', { 'knowledge.connections': reader.connectionIds.length }, async () => {
      const count = Math.min(Math.max(1, limit), maxSearchLimit);
      const parsed = parseQuery(query);
      const { rows, slugs, sources } = await this.database.tenant(principal, async (tx) => {
        const { slugs, readCount, readerIds } = await this.readableConnections(tx, principal, reader);
        const rows = await tx.run(searchPassages, [
          principal.tenantId,
          [...slugs.keys()],
          readerIds,
          parsed.terms,
          count * maxPassagesPerDocument + 10,
          kind ?? null,
        ]);
        return { rows, slugs, sources: readCount };
      });
      const [{ documents, chunks, average, frequencies }] = rows;
      const corpus: CorpusStatistics = { chunks, averageLength: average, frequencies: frequencies ?? {} };
      const weights = new Map(parsed.terms.map((term) => [term, idf(term, corpus)]));
      const passages = limitPerDocument(rows.filter(hasPassage), count).map((row): SearchPassage => {
        const terms = indexTerms({ title: row.title, externalId: row.external_id }, row);
        const { text, highlights } = snippetOf(row.text, weights);
        return {
          ...citation(row, slugs),
          chunkId: row.chunk_id,
          heading: row.heading.join(' › '),
          snippet: text,
          highlights,
          text: row.text,
          score: row.score,
          coverage: coverage(parsed, terms.weights, corpus),
          why: contributions(parsed.terms, terms, corpus),
        };
      });
      const terms = parsed.terms.map((term) => ({
        term,
        idf: weights.get(term)!,
        passages: corpus.frequencies[term] ?? 0,
      }));
      return { passages, terms, sources, documents };
    });
  }

  /** Documents that the reader may read, in a stable order. */
  list(
    principal: Principal,
    reader: KnowledgeReader,
    after: string | null = null,
    limit = defaultListLimit,
  ): Promise<DocumentList> {
    return this.database.tenant(principal, async (tx) => {
      const { slugs, readerIds } = await this.readableConnections(tx, principal, reader);
      const rows = await tx.run(listReadableDocuments, [
        principal.tenantId,
        [...slugs.keys()],
        readerIds,
        after,
        limit + 1,
      ]);
      const documents = rows.slice(0, limit).map((row) => toListedDocument(row, slugs));
      return { documents, next: rows.length > limit ? documents[limit - 1].documentId : null };
    });
  }

  async read(principal: Principal, reader: KnowledgeReader, documentId: string, from = 0): Promise<DocumentExcerpt> {
    const { rows, slugs } = await this.database.tenant(principal, async (tx) => {
      const { slugs, readerIds } = await this.readableConnections(tx, principal, reader);
      const rows = await tx.run(readDocumentChunks, [
        principal.tenantId,
        [...slugs.keys()],
        readerIds,
        documentId,
        from,
        readLimits.chunks,
      ]);
      return { rows, slugs };
    });
    if (!rows.length) throw documentNotFound('The document does not exist, or it has no text after this position.');
    const taken = takeUpTo(rows, readLimits.characters);
    const [first] = taken;
    const last = taken[taken.length - 1];
    return {
      ...citation(first, slugs),
      position: locationLabel({ unit: first.unit, from: first.starts, to: last.ends }),
      text: withHeadings(taken),
      next: last.number + 1 < first.chunk_count ? last.number + 1 : null,
    };
  }

  /**
   * The connections of the bundle that are not paused, removed or restricted to other groups. Queried for every call: a
   * pause or a restriction applies to the next call, long before a sync moves the documents to other partitions. The
   * same holds for what the reader may read in the sources.
   */
  private async readableConnections(
    tx: Tx,
    { tenantId }: Principal,
    { connectionIds, groups, memberId }: KnowledgeReader,
  ): Promise<{ slugs: Map<string, string>; readCount: number; readerIds: string[] }> {
    if (!connectionIds.length) return { slugs: new Map(), readCount: 0, readerIds: [] };
    const [connections, audiences] = await Promise.all([
      tx.run(openConnections, [tenantId, connectionIds]),
      tx.run(listReadableAudiences, [tenantId, connectionIds, memberId]),
    ]);
    const isRestricted = connections.some(({ settings }) => groupNamesOf(settings));
    const resolveGroups = isRestricted ? await groupsByName(tx, tenantId) : null;
    const isOpen = ({ settings }: SearchableConnection) => {
      const allowedGroups = resolveGroups?.(groupNamesOf(settings)).groups;
      return !allowedGroups || allowedGroups.some((id) => groups.includes(id));
    };
    const open = connections.filter(isOpen);
    return {
      slugs: new Map(open.map(({ id, slug }) => [id, slug])),
      readCount: open.filter(({ isRead }) => isRead).length,
      // an administrator chooses groups to search as: the id of an audience is none
      readerIds: [...groups.filter((id) => !isDerivedId(id)), ...audiences.map(({ id }) => id)],
    };
  }
}

const hasPassage = (row: SearchRow): row is CorpusRow & ScoredPassage => row.chunk_id !== null;

const toListedDocument = (row: DocumentRow, slugs: ReadonlyMap<string, string>): ListedDocument => ({
  documentId: row.document_id,
  title: row.title,
  url: row.url,
  source: slugs.get(row.connection_id)!,
  kind: row.kind,
  author: row.author,
  updatedAt: row.updated_at,
  retrievedAt: row.retrieved_at,
});

const citation = (row: PassageRow, slugs: ReadonlyMap<string, string>) => ({
  ...toListedDocument(row, slugs),
  position: locationLabel({ unit: row.unit, from: row.starts, to: row.ends }),
});

function limitPerDocument<T extends { document_id: string }>(rows: T[], limit: number): T[] {
  const taken = new Map<string, number>();
  return rows
    .filter(({ document_id }) => {
      const count = (taken.get(document_id) ?? 0) + 1;
      taken.set(document_id, count);
      return count <= maxPassagesPerDocument;
    })
    .slice(0, limit);
}

function takeUpTo(rows: DocumentChunkRow[], characters: number): DocumentChunkRow[] {
  let size = 0;
  const end = rows.findIndex((row, index) => (size += row.text.length) > characters && index > 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Headings are stored apart from the text. Inserts each one where its section begins. */
function withHeadings(rows: DocumentChunkRow[]): string {
  let before = '';
  const parts = rows.map(({ heading, text }) => {
    const path = heading.join(' › ');
    const head = path && path !== before ? `${'#'.repeat(Math.min(6, heading.length + 1))} ${path}\n\n` : '';
    before = path;
    return head + text;
  });
  return parts.join('\n\n');
}
