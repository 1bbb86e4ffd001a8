import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Connection } from '../connections/connection.entity.js';
import { client, Database } from '../platform/database/database.service.js';
import { span } from '../platform/telemetry/trace.js';
import type { Principal } from '../principal/principal.js';
import type { DocumentKind } from './document.entity.js';
import { documentNotFound } from './knowledge.error.js';
import { indexTerms } from './index-terms.js';
import { groupsByName, groupsOf } from './readers.js';
import { contributions, coverage, idf, readQuery, type Contribution, type Corpus } from './rank.js';
import {
  type DocumentRow,
  list,
  openConnections,
  type PassageRow,
  read,
  type ReadRow,
  type ScoredRow,
  search,
} from './search.sql.js';
import { placeLabel } from './text/block.js';
import { snippet } from './text/snippet.js';

/** Whose eyes, and where to look: connections of the bundle, groups of whom is read for. */
export interface Reader {
  connectionIds: readonly string[];
  groups: readonly string[];
}

export interface SearchInput {
  query: string;
  limit?: number;
  kind?: DocumentKind;
}

export interface Passage {
  documentId: string;
  chunkId: string;
  title: string;
  url: string | null;
  /** the connection's short name */
  source: string;
  kind: DocumentKind;
  author: string | null;
  /** "lines 12–30", "page 2" */
  position: string;
  heading: string;
  snippet: string;
  /** [from, to) of found terms in the snippet */
  highlights: [number, number][];
  text: string;
  score: number;
  /** 0..1: how much of what was asked for the passage has, by how much each word tells apart */
  coverage: number;
  why: Contribution[];
  updatedAt: Date | null;
  retrievedAt: Date;
}

/** A word that was looked up. */
export interface SoughtTerm {
  term: string;
  idf: number;
  /** passages that have it, of those that the reader may read */
  passages: number;
}

export interface Found {
  passages: Passage[];
  terms: SoughtTerm[];
  /** connections that were searched */
  sources: number;
  /** documents in them that the reader may read */
  documents: number;
}

export interface Reading {
  documentId: string;
  title: string;
  url: string | null;
  source: string;
  kind: DocumentKind;
  text: string;
  position: string;
  /** number of the chunk to go on with; null at the end */
  next: number | null;
  updatedAt: Date | null;
  retrievedAt: Date;
}

/** A document by what is needed to name and to cite it. */
export interface Listed {
  documentId: string;
  title: string;
  url: string | null;
  source: string;
  kind: DocumentKind;
  author: string | null;
  updatedAt: Date | null;
  retrievedAt: Date;
}

export interface Shelved {
  documents: Listed[];
  /** the document to go on behind; null at the end */
  next: string | null;
}

const standardLimit = 8;
const mostLimit = 20;
/** A long document must not fill the whole answer. */
const mostOfOneDocument = 3;
const listedAtOnce = 100;
const readAtOnce = { chunks: 60, characters: 24_000 };

@Injectable()
export class SearchService {
  constructor(private readonly database: Database) {}

  search(principal: Principal, reader: Reader, { query, limit = standardLimit, kind }: SearchInput): Promise<Found> {
    return span('knowledge.search', { 'knowledge.connections': reader.connectionIds.length }, async () => {
      const wanted = Math.min(Math.max(1, limit), mostLimit);
      const asked = readQuery(query);
      const { rows, slugs } = await this.database.tenant(principal, async (tx) => {
        const slugs = await this.open(tx, principal, reader);
        const db = await client(tx);
        const values = [
          principal.tenantId,
          [...slugs.keys()],
          reader.groups,
          asked.terms,
          wanted * mostOfOneDocument + 10,
          kind ?? null,
        ];
        return { rows: (await db.query<ScoredRow>({ ...search, values })).rows, slugs };
      });
      const [{ documents, chunks, average, frequencies }] = rows;
      const corpus: Corpus = { chunks, averageLength: average, frequencies: frequencies ?? {} };
      const weights = new Map(asked.terms.map((term) => [term, idf(term, corpus)]));
      const passages = spread(
        rows.filter((row) => row.chunk_id !== null),
        wanted,
      ).map((row): Passage => {
        const terms = indexTerms({ title: row.title, externalId: row.external_id }, row);
        const { text, highlights } = snippet(row.text, weights);
        return {
          ...citation(row, slugs),
          chunkId: row.chunk_id,
          heading: row.heading.join(' › '),
          snippet: text,
          highlights,
          text: row.text,
          score: row.score,
          coverage: coverage(asked, terms.weights, corpus),
          why: contributions(asked.terms, terms, corpus),
        };
      });
      const terms = asked.terms.map((term) => ({
        term,
        idf: weights.get(term)!,
        passages: corpus.frequencies[term] ?? 0,
      }));
      return { passages, terms, sources: slugs.size, documents };
    });
  }

  /** What the reader may read, in an order that stays. */
  list(principal: Principal, reader: Reader, after: string | null = null, limit = listedAtOnce): Promise<Shelved> {
    return this.database.tenant(principal, async (tx) => {
      const slugs = await this.open(tx, principal, reader);
      const values = [principal.tenantId, [...slugs.keys()], reader.groups, after, limit + 1];
      const { rows } = await (await client(tx)).query<DocumentRow>({ ...list, values });
      const documents = rows.slice(0, limit).map((row) => named(row, slugs));
      return { documents, next: rows.length > limit ? documents[limit - 1].documentId : null };
    });
  }

  async read(principal: Principal, reader: Reader, documentId: string, from = 0): Promise<Reading> {
    const { rows, slugs } = await this.database.tenant(principal, async (tx) => {
      const slugs = await this.open(tx, principal, reader);
      const values = [principal.tenantId, [...slugs.keys()], reader.groups, documentId, from, readAtOnce.chunks];
      return { rows: (await (await client(tx)).query<ReadRow>({ ...read, values })).rows, slugs };
    });
    if (!rows.length) throw documentNotFound('There is no such document, or nothing behind this position.');
    const taken = upTo(rows, readAtOnce.characters);
    const [first] = taken;
    const last = taken[taken.length - 1];
    return {
      ...citation(first, slugs),
      position: placeLabel({ unit: first.unit, from: first.starts, to: last.ends }),
      text: withHeadings(taken),
      next: last.number + 1 < first.chunk_count ? last.number + 1 : null,
    };
  }

  /**
   * Of the bundle, what is neither paused nor removed nor kept for others. Asked for anew each time: a pause works on the very
   * next call, and so does a restriction, long before the documents have moved to other shelves.
   */
  private async open(
    tx: EntityManager,
    { tenantId }: Principal,
    { connectionIds, groups }: Reader,
  ): Promise<Map<string, string>> {
    if (!connectionIds.length) return new Map();
    const db = await client(tx);
    const { rows } = await db.query<OpenConnection>({ ...openConnections, values: [tenantId, connectionIds] });
    const isRestricted = rows.some(({ settings }) => groupsOf(settings));
    const named = isRestricted ? await groupsByName(tx, tenantId) : null;
    const isOpen = ({ settings }: OpenConnection) => {
      const only = named?.(groupsOf(settings)).groups;
      return !only || only.some((id) => groups.includes(id));
    };
    return new Map(rows.filter(isOpen).map(({ id, slug }) => [id, slug]));
  }
}

type OpenConnection = Pick<Connection, 'id' | 'slug' | 'settings'>;

const named = (row: DocumentRow, slugs: ReadonlyMap<string, string>): Listed => ({
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
  ...named(row, slugs),
  position: placeLabel({ unit: row.unit, from: row.starts, to: row.ends }),
});

function spread<T extends { document_id: string }>(rows: T[], wanted: number): T[] {
  const taken = new Map<string, number>();
  return rows
    .filter(({ document_id }) => {
      const count = (taken.get(document_id) ?? 0) + 1;
      taken.set(document_id, count);
      return count <= mostOfOneDocument;
    })
    .slice(0, wanted);
}

function upTo(rows: ReadRow[], characters: number): ReadRow[] {
  let size = 0;
  const end = rows.findIndex((row, index) => (size += row.text.length) > characters && index > 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Headings are kept beside the text; whoever reads on wants to see where a new one begins. */
function withHeadings(rows: ReadRow[]): string {
  let before = '';
  const parts = rows.map(({ heading, text }) => {
    const path = heading.join(' › ');
    const head = path && path !== before ? `${'#'.repeat(Math.min(6, heading.length + 1))} ${path}\n\n` : '';
    before = path;
    return head + text;
  });
  return parts.join('\n\n');
}
