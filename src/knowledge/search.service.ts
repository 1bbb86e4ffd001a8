import { Injectable } from '@nestjs/common';
import { isDerivedId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { withSpan } from '../platform/telemetry/trace.js';
import type { Principal } from '../principal/principal.js';
import { EmbeddingsService, type QuestionVector } from './embeddings/embeddings.service.js';
import { cosine, quantize } from './embeddings/quantize.js';
import { documentNotFound } from './knowledge.error.js';
import { namedDocuments, readLinkedPassages } from './linked-passages.js';
import { parseQuery, type ParsedQuery } from './parse-query.js';
import {
  citationOf,
  type FoundPassage,
  groupTerms,
  type RankedPassage,
  rankPassages,
  toListedDocument,
  toPassage,
} from './ranking.js';
import type { CorpusStatistics } from './rank.js';
import { ReadableAudiencesService } from './readable-audiences.service.js';
import { groupsByName, groupNamesOf } from './reader-groups.js';
import {
  type CorpusRow,
  type DocumentChunkRow,
  type FilterParams,
  listReadableDocuments,
  listReadableLanguages,
  nearestFilteredPassages,
  nearestPassages,
  openConnections,
  readDocumentChunks,
  type ReaderParams,
  readPassages,
  readVectors,
  type ScoredPassage,
  searchFilteredPassages,
  searchPassages,
  type SearchableConnection,
  type SearchRow,
  type TermMatchRow,
} from './search.sql.js';
import type {
  DocumentExcerpt,
  DocumentList,
  KnowledgeReader,
  LinkedPassage,
  MeaningSearch,
  SearchInput,
  SearchResult,
} from './search-result.js';
import { defaultLanguage, isLanguage, type Language } from './text/languages.js';

export type * from './search-result.js';

const defaultSearchLimit = 8;
const maxSearchLimit = 20;
/** Results are collapsed and limited per document, so more are read than shown. */
const candidatesPerResult = 3;
const extraCandidates = 10;
/** The minimum length of both lists in a search by words and meaning. */
const hybridCandidates = 50;
/** The signs of vectors are only an approximation, so more passages are compared exactly than are used. */
const nearestCandidates = 300;
const defaultListLimit = 100;
const readLimits = { chunks: 60, characters: 24_000 };

interface Candidates {
  parsed: ParsedQuery;
  rows: SearchRow[];
  found: FoundPassage[];
  slugs: Map<string, string>;
  /** number of searched connections */
  sources: number;
}

interface ReadableConnections {
  slugs: Map<string, string>;
  readCount: number;
  /** the groups of the reader, and the audiences that the reader belongs to */
  readerIds: string[];
}

@Injectable()
export class SearchService {
  constructor(
    private readonly database: DatabaseService,
    private readonly embeddings: EmbeddingsService,
    private readonly audiences: ReadableAudiencesService,
  ) {}

  search(principal: Principal, reader: KnowledgeReader, input: SearchInput): Promise<SearchResult> {
    return withSpan('knowledge.search', { 'knowledge.connections': reader.connectionIds.length }, async () => {
      const limit = Math.min(Math.max(1, input.limit ?? defaultSearchLimit), maxSearchLimit);
      const { meaning, parsed, rows, found, slugs, sources } = await this.find(principal, reader, input, limit);
      const [{ documents, chunks, average, frequencies }] = rows;
      const corpus: CorpusStatistics = { chunks, averageLength: average, frequencies: frequencies ?? {} };
      const ranked = rankPassages(found, parsed, corpus, limit, Date.now());
      const passages = ranked.map((passage) => toPassage(passage, slugs, parsed, corpus));
      const linked = input.withLinked ? await this.readLinked(principal, reader, input, ranked, parsed, corpus) : [];
      return { passages, linked, terms: groupTerms(parsed, corpus), sources, documents, meaning };
    });
  }

  /** Resolves the connections and audiences again, because they may have changed since the search. */
  private async readLinked(
    principal: Principal,
    reader: KnowledgeReader,
    input: SearchInput,
    ranked: readonly RankedPassage[],
    parsed: ParsedQuery,
    corpus: CorpusStatistics,
  ): Promise<LinkedPassage[]> {
    const named = namedDocuments(ranked);
    if (!named.length) return [];
    return this.database.tenant(principal, async (tx) => {
      const { slugs, readerIds } = await this.readableConnections(tx, principal, reader, input.sources);
      const scope: ReaderParams = [principal.tenantId, [...slugs.keys()], readerIds];
      const filter = [input.kind ?? null, ...(filterOf(input) ?? noFilter)] as const;
      const linked = await readLinkedPassages(tx, scope, filter, named, ranked, parsed, corpus);
      return linked.map((passage) => ({
        ...toPassage(passage, slugs, parsed, corpus),
        linkedFrom: passage.namedBy,
      }));
    });
  }

  /** Holds no transaction open while the embedding model computes the vector of the question. */
  private async find(
    principal: Principal,
    reader: KnowledgeReader,
    input: SearchInput,
    limit: number,
  ): Promise<Candidates & { meaning: MeaningSearch }> {
    const first = await this.database.tenant(principal, async (tx) => {
      const model = await this.embeddings.findModel(tx, principal.tenantId);
      return model
        ? { model, found: null }
        : { model: null, found: await this.findIn(tx, principal, reader, input, limit, null) };
    });
    if (!first.model) return { ...first.found, meaning: 'off' };
    const question = await this.embeddings.embedQuestion(principal, first.model, input.query);
    const found = await this.database.tenant(principal, (tx) =>
      this.findIn(tx, principal, reader, input, limit, question),
    );
    return { ...found, meaning: question ? 'used' : 'unavailable' };
  }

  private async findIn(
    tx: Tx,
    principal: Principal,
    reader: KnowledgeReader,
    input: SearchInput,
    limit: number,
    question: QuestionVector | null,
  ): Promise<Candidates> {
    const { slugs, readCount, readerIds } = await this.readableConnections(tx, principal, reader, input.sources);
    const scope: ReaderParams = [principal.tenantId, [...slugs.keys()], readerIds];
    const readable = await tx.one(listReadableLanguages, scope);
    const parsed = parseQuery(input.query, [defaultLanguage, ...(readable?.languages ?? []).filter(isOtherLanguage)]);
    const candidates = Math.max(question ? hybridCandidates : 0, limit * candidatesPerResult + extraCandidates);
    const rows = await searchByWords(tx, scope, parsed, input, candidates);
    const byWords = rows.filter(hasPassage);
    const found = question
      ? await addByMeaning(tx, scope, byWords, question, parsed, input)
      : byWords.map(withoutSimilarity);
    return { parsed, rows, found, slugs, sources: readCount };
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
      ...citationOf({ ...first, ends: last.ends }, slugs),
      text: withHeadings(taken),
      next: last.number + 1 < first.chunk_count ? last.number + 1 : null,
    };
  }

  /**
   * The connections of the bundle that are not paused, removed or restricted to other groups, and the audiences of the
   * reader in the sources. Queried for every call, so that a pause or a restriction applies to the next call, long
   * before a sync moves the documents to other partitions.
   */
  private async readableConnections(
    tx: Tx,
    { tenantId }: Principal,
    { connectionIds, groups, memberId }: KnowledgeReader,
    searched?: readonly string[],
  ): Promise<ReadableConnections> {
    if (!connectionIds.length) return { slugs: new Map(), readCount: 0, readerIds: [] };
    const [connections, audiences] = await Promise.all([
      tx.run(openConnections, [tenantId, connectionIds]),
      this.audiences.list(tx, tenantId, connectionIds, memberId),
    ]);
    const isRestricted = connections.some(({ settings }) => groupNamesOf(settings));
    const resolveGroups = isRestricted ? await groupsByName(tx, tenantId) : null;
    const isOpen = ({ settings }: SearchableConnection) => {
      const allowedGroups = resolveGroups?.(groupNamesOf(settings)).groups;
      return !allowedGroups || allowedGroups.some((id) => groups.includes(id));
    };
    const open = connections.filter(
      (connection) => (searched?.includes(connection.slug) ?? true) && isOpen(connection),
    );
    return {
      slugs: new Map(open.map(({ id, slug }) => [id, slug])),
      readCount: open.filter(({ isRead }) => isRead).length,
      // an administrator chooses the groups to search as: an audience id in this list must have no effect
      readerIds: [...groups.filter((id) => !isDerivedId(id)), ...open.flatMap(({ id }) => audiences.get(id) ?? [])],
    };
  }
}

const hasPassage = (row: SearchRow): row is CorpusRow & ScoredPassage => row.chunk_id !== null;
const withoutSimilarity = (row: ScoredPassage): FoundPassage => ({ ...row, similarity: null });
const withoutScore = ({ weights, length, ...row }: TermMatchRow) => ({
  ...row,
  score: null,
  matches: { weights: new Map(Object.entries(weights ?? {})), length: length ?? 0 },
});
const isOtherLanguage = (language: string): language is Language =>
  language !== defaultLanguage && isLanguage(language);

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

const noFilter: FilterParams = [null, null, null, null];
/** Null: the search has no document filters. */
function filterOf({ container, author, changedSince, changedBefore }: SearchInput): FilterParams | null {
  if (!container && !author && !changedSince && !changedBefore) return null;
  return [container ?? null, author ?? null, changedSince ?? null, changedBefore ?? null];
}

function searchByWords(tx: Tx, scope: ReaderParams, parsed: ParsedQuery, input: SearchInput, limit: number) {
  const { terms, wordNumbers, boosts } = parsed;
  const params = [...scope, terms, wordNumbers, boosts, limit, input.kind ?? null] as const;
  const filter = filterOf(input);
  return filter ? tx.run(searchFilteredPassages, [...params, ...filter]) : tx.run(searchPassages, params);
}

/** Adds the most similar passages, and the similarity of all passages. */
async function addByMeaning(
  tx: Tx,
  scope: ReaderParams,
  byWords: readonly ScoredPassage[],
  { spaceId, vector }: QuestionVector,
  { terms }: ParsedQuery,
  input: SearchInput,
): Promise<FoundPassage[]> {
  const params = [...scope, spaceId, quantize(vector).bits, nearestCandidates, input.kind ?? null] as const;
  const filter = filterOf(input);
  const [nearest, vectorsByWords] = await Promise.all([
    filter ? tx.run(nearestFilteredPassages, [...params, ...filter]) : tx.run(nearestPassages, params),
    tx.run(readVectors, [scope[0], spaceId, byWords.map(({ chunk_id }) => chunk_id)]),
  ]);
  const similarities = new Map(
    [...nearest, ...vectorsByWords].map((row) => [row.chunk_id, cosine(vector, row.vector)]),
  );
  const foundByWords = new Set(byWords.map(({ chunk_id }) => chunk_id));
  const added = nearest
    .map(({ chunk_id }) => chunk_id)
    .sort((one, other) => similarities.get(other)! - similarities.get(one)! || (one < other ? -1 : 1))
    .slice(0, hybridCandidates)
    .filter((id) => !foundByWords.has(id));
  const passages = added.length ? await tx.run(readPassages, [...scope, added, terms]) : [];
  return [...byWords, ...passages.map(withoutScore)].map((row) => ({
    ...row,
    similarity: similarities.get(row.chunk_id) ?? null,
  }));
}
