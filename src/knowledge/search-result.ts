import type { DocumentKind } from './document.entity.js';
import type { Contribution } from './rank.js';

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
  /** slugs of connections */
  sources?: readonly string[];
  /** a repository, project, space or channel, by its title */
  container?: string;
  author?: string;
  /** last changed at this time or later */
  changedSince?: Date;
  /** last changed before this time */
  changedBefore?: Date;
}

/** What a citation says about the document. */
export interface ListedDocument {
  documentId: string;
  title: string;
  url: string | null;
  /** slug of the connection */
  source: string;
  kind: DocumentKind;
  author: string | null;
  /** the repository, project, space or channel */
  container: string | null;
  updatedAt: Date | null;
  retrievedAt: Date;
}

/** A passage that says almost the same as a better one. */
export interface DuplicatePassage {
  documentId: string;
  chunkId: string;
  title: string;
  url: string | null;
  source: string;
  container: string | null;
  position: string;
}

export interface SearchPassage extends ListedDocument {
  chunkId: string;
  /** "src/rank.ts, lines 12–30", "page 2" */
  position: string;
  heading: string;
  snippet: string;
  /** [from, to) of the matching terms in the snippet */
  highlights: [number, number][];
  text: string;
  /** BM25 */
  score: number;
  /** cosine of the angle between question and passage, −1 to 1; null without vectors */
  similarity: number | null;
  /** what the results are sorted by: the score, or score and similarity together, times the factors */
  relevance: number;
  /** below 1 for an old document */
  freshness: number;
  /** below 1 for a draft, or a document that is archived or superseded */
  authority: number;
  /** 0..1: share of the query words that the passage contains, weighted by IDF */
  coverage: number;
  why: Contribution[];
  duplicates: DuplicatePassage[];
}

/** A query term that was searched. */
export interface QueryTerm {
  term: string;
  idf: number;
  /** number of readable passages that contain it */
  passages: number;
}

export type MeaningSearch = 'off' | 'used' | 'unavailable';

export interface SearchResult {
  passages: SearchPassage[];
  terms: QueryTerm[];
  /** connections whose documents were searched */
  sources: number;
  /** documents in these connections that the reader may read */
  documents: number;
  /** whether the results were also found by meaning */
  meaning: MeaningSearch;
}

export interface DocumentExcerpt extends ListedDocument {
  text: string;
  position: string;
  /** number of the next chunk; null at the end */
  next: number | null;
}

export interface DocumentList {
  documents: ListedDocument[];
  /** id of the last listed document; null at the end */
  next: string | null;
}
