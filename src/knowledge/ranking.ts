import { lineUrlOf } from './files/line-url.js';
import { fuse } from './fusion.js';
import { collapse, shapeOf } from './near-duplicates.js';
import type { ParsedQuery } from './parse-query.js';
import { contributions, coverage, idf, type Contribution, type CorpusStatistics } from './rank.js';
import type { DocumentRow, PassageRow } from './search.sql.js';
import type { DuplicatePassage, ListedDocument, QueryTerm, SearchPassage } from './search-result.js';
import { authority, freshness } from './signals.js';
import { locationLabel } from './text/block.js';
import { indexTerms, type IndexTerms } from './text/index-terms.js';
import { isLanguage, defaultLanguage, type Language } from './text/languages.js';
import { snippetOf } from './text/snippet.js';

/** `score`: null if it was only found by its meaning. */
export type FoundPassage = PassageRow & { score: number | null; similarity: number | null };

export interface RankedPassage {
  row: FoundPassage;
  terms: IndexTerms;
  why: Contribution[];
  score: number;
  relevance: number;
  freshness: number;
  authority: number;
  duplicates: PassageRow[];
}

/** Prevents a long document from filling the whole result. */
const maxPassagesPerDocument = 3;

/** Sorts by words and meaning and the mild signals, collapses near-duplicates and limits the passages of a document. */
export function rankPassages(
  found: readonly FoundPassage[],
  parsed: ParsedQuery,
  corpus: CorpusStatistics,
  limit: number,
  now: number,
): RankedPassage[] {
  const scored = found.map((row) => {
    const terms = indexTerms(
      { title: row.title, externalId: row.external_id, language: languageOfRow(row) },
      { heading: row.heading, text: row.text },
    );
    const why = contributions(parsed, terms, corpus);
    const score = row.score ?? why.reduce((sum, part) => sum + part.score, 0);
    return { row, terms, why, score, similarity: row.similarity };
  });
  const hasMeaning = scored.some(({ similarity }) => similarity !== null);
  const fused = hasMeaning ? fuse(scored) : scored.map(({ score }) => score);
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

/** Each searched word once, in the form that the documents use. */
export function groupTerms({ terms, wordNumbers }: ParsedQuery, corpus: CorpusStatistics): QueryTerm[] {
  const words = Map.groupBy(terms, (_, index) => wordNumbers[index]);
  return [...words.values()].map((forms) => {
    const term = forms.find((form) => corpus.frequencies[form]) ?? forms[0];
    return { term, idf: idf(term, corpus), passages: corpus.frequencies[term] ?? 0 };
  });
}

export function toPassage(
  { row, terms, why, score, relevance, freshness, authority, duplicates }: RankedPassage,
  slugs: ReadonlyMap<string, string>,
  parsed: ParsedQuery,
  corpus: CorpusStatistics,
): SearchPassage {
  const weights = new Map(parsed.terms.map((term) => [term, idf(term, corpus)]));
  const { text: snippet, highlights } = snippetOf(row.text, weights, languageOfRow(row));
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
    why,
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

const languageOfRow = ({ language }: { language: string }): Language =>
  isLanguage(language) ? language : defaultLanguage;
