import type { DocumentKind } from './document.entity.js';
import type { Contribution } from './rank.js';

/** The scope of a search: the connections of the bundle and the groups of the reader. */
export interface KnowledgeReader {
  connectionIds: readonly string[];
  groups: readonly string[];
  /** Null: the reader is not a person, and can only read audiences that are open to everyone. */
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
  /** also reads documents that the found passages name */
  withLinked?: boolean;
}

/** The document of a citation. */
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

/** A passage with almost the same text as a passage that ranks higher. */
export interface DuplicatePassage extends Pick<
  ListedDocument,
  'documentId' | 'title' | 'url' | 'source' | 'container'
> {
  chunkId: string;
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
  /** cosine similarity of query and passage, −1 to 1; null without vectors */
  similarity: number | null;
  /**
   * the sort key: the score, reduced by up to half for missing words of the query, and combined with the similarity if
   * there is one; multiplied by freshness and authority
   */
  relevance: number;
  /** below 1 for an old document */
  freshness: number;
  /** below 1 for a draft, or for an archived or superseded document */
  authority: number;
  /** 0..1: share of the query words that the passage contains, weighted by IDF */
  coverage: number;
  why: Contribution[];
  duplicates: DuplicatePassage[];
}

/** A passage of a document that a found passage names by its ticket key or address. */
export interface LinkedPassage extends SearchPassage {
  /** chunk id of the found passage */
  linkedFrom: string;
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
  /** empty unless requested */
  linked: LinkedPassage[];
  terms: QueryTerm[];
  /** number of searched connections */
  sources: number;
  /** number of readable documents in these connections */
  documents: number;
  /** whether passages were also searched by meaning */
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
