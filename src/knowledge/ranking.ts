import { lineUrlOf } from './files/line-url.js';
import { fuse } from './fusion.js';
import { collapse, shapeOf } from './near-duplicates.js';
import type { ParsedQuery } from './parse-query.js';
import { contributions, coverage, coverageFactor, idf, termsOfWords, type CorpusStatistics } from './rank.js';
import type { DocumentRow, PassageRow, ScoredPassage } from './search.sql.js';
import type { DuplicatePassage, ListedDocument, QueryTerm, SearchPassage } from './search-result.js';
import { authority, freshness } from './signals.js';
import { locationLabel } from './text/block.js';
import { indexTerms, type IndexTerms } from './text/index-terms.js';
import { isLanguage, defaultLanguage } from './text/languages.js';
import { snippetOf } from './text/snippet.js';

/** A passage without a score was only found by meaning; `matches` are its terms of the query. */
export type FoundPassage = PassageRow & { similarity: number | null } & (
    Pick<ScoredPassage, 'score' | 'words'> | { score: null; matches: IndexTerms }
  );

export interface RankedPassage {
  row: FoundPassage;
  score: number;
  relevance: number;
  freshness: number;
  authority: number;
  duplicates: PassageRow[];
}

/** Prevents a long document from filling the whole result. */
const maxPassagesPerDocument = 3;

/** Sorts by relevance, collapses near-duplicates and limits the number of passages per document. */
export function rankPassages(
  found: readonly FoundPassage[],
  parsed: ParsedQuery,
  corpus: CorpusStatistics,
  limit: number,
  now: number,
): RankedPassage[] {
  const scored = found.map((row) => ({ row, ...matchOf(row, parsed, corpus) }));
  const hasMeaning = found.some(({ similarity }) => similarity !== null);
  const candidates = scored.map(({ row, covered }) => ({ score: covered, similarity: row.similarity }));
  const fused = hasMeaning ? fuse(candidates) : candidates.map(({ score }) => score);
  const ranked = scored
    .map((entry, index) => {
      const signals = {
        freshness: freshness(entry.row.updated_at, now),
        authority: authority({ ...entry.row, externalId: entry.row.external_id }),
      };
      return { ...entry, ...signals, relevance: fused[index] * signals.freshness * signals.authority };
    })
    .sort((one, other) => other.relevance - one.relevance || (one.row.chunk_id < other.row.chunk_id ? -1 : 1));
  const distinct = collapse(ranked, ({ row }) => shapeOf(row.text)).map(({ item, duplicates }) => ({
    ...item,
    duplicates: duplicates.map(({ row }) => row),
  }));
  return limitPerDocument(distinct, limit);
}

/** The BM25 score. `covered`: reduced by the share of the query that the passage lacks. */
export function matchOf(row: FoundPassage, parsed: ParsedQuery, corpus: CorpusStatistics) {
  const score = row.score ?? contributions(parsed, row.matches, corpus).reduce((sum, { score: part }) => sum + part, 0);
  const found = row.score === null ? row.matches.weights : termsOfWords(parsed, row.words);
  return { score, covered: score * coverageFactor(coverage(parsed, found, corpus)) };
}

function limitPerDocument(passages: RankedPassage[], limit: number): RankedPassage[] {
  const taken = new Map<string, number>();
  return passages
    .filter(({ row: { document_id } }) => {
      const count = (taken.get(document_id) ?? 0) + 1;
      taken.set(document_id, count);
      return count <= maxPassagesPerDocument;
    })
    .slice(0, limit);
}

/** One entry per word of the query, with the form that the documents contain. */
export function groupTerms({ terms, wordNumbers }: ParsedQuery, corpus: CorpusStatistics): QueryTerm[] {
  const words = Map.groupBy(terms, (_, index) => wordNumbers[index]);
  return [...words.values()].map((forms) => {
    const term = forms.find((form) => corpus.frequencies[form]) ?? forms[0];
    return { term, idf: idf(term, corpus), passages: corpus.frequencies[term] ?? 0 };
  });
}

export function toPassage(
  { row, score, relevance, freshness, authority, duplicates }: RankedPassage,
  slugs: ReadonlyMap<string, string>,
  parsed: ParsedQuery,
  corpus: CorpusStatistics,
): SearchPassage {
  const weights = new Map(parsed.terms.map((term) => [term, idf(term, corpus)]));
  const language = isLanguage(row.language) ? row.language : defaultLanguage;
  const { text: snippet, highlights } = snippetOf(row.text, weights, language);
  const terms = indexTerms({ title: row.title, externalId: row.external_id, language }, row);
  return {
    ...citationOf(row, slugs),
    chunkId: row.chunk_id,
    heading: row.heading.join(' › '),
    snippet,
    highlights,
    text: row.text,
    score,
    similarity: row.similarity,
    relevance,
    freshness,
    authority,
    coverage: coverage(parsed, terms.weights, corpus),
    why: contributions(parsed, terms, corpus),
    duplicates: duplicates.map((duplicate) => toDuplicate(duplicate, slugs)),
  };
}

function toDuplicate(row: PassageRow, slugs: ReadonlyMap<string, string>): DuplicatePassage {
  const { documentId, title, url, source, container, position } = citationOf(row, slugs);
  return { documentId, chunkId: row.chunk_id, title, url, source, container, position };
}

export const toListedDocument = (row: DocumentRow, slugs: ReadonlyMap<string, string>): ListedDocument => ({
  documentId: row.document_id,
  title: row.title,
  url: row.url,
  source: slugs.get(row.connection_id)!,
  kind: row.kind,
  author: row.author,
  container: row.container,
  updatedAt: row.updated_at,
  retrievedAt: row.retrieved_at,
});

type LocatedRow = DocumentRow & Pick<PassageRow, 'unit' | 'starts' | 'ends'>;

export const citationOf = (row: LocatedRow, slugs: ReadonlyMap<string, string>) => {
  const location = { unit: row.unit, from: row.starts, to: row.ends };
  return {
    ...toListedDocument(row, slugs),
    url: lineUrlOf(row.url, location),
    position: [row.position, locationLabel(location)].filter(Boolean).join(', '),
  };
};
