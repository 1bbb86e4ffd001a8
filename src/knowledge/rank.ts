import type { Alternatives, ParsedQuery } from './parse-query.js';
import type { IndexTerms } from './text/index-terms.js';

/** BM25 with the usual constants; `search.sql.ts` computes the same. */
export const k1 = 1.2;
export const b = 0.75;

export interface CorpusStatistics {
  /** chunks that the reader may see, and their average length */
  chunks: number;
  averageLength: number;
  /** number of these chunks that contain a query term or another form of its word */
  frequencies: Record<string, number>;
}

/**
 * Inverse document frequency. It is highest for a term that occurs nowhere, so that a missing term lowers the coverage.
 */
export function idf(term: string, { chunks, frequencies }: CorpusStatistics): number {
  const n = frequencies[term] ?? 0;
  return Math.log(1 + (chunks - n + 0.5) / (n + 0.5));
}

export interface Contribution {
  term: string;
  idf: number;
  weight: number;
  score: number;
}

/** Explains the score of a passage. */
export function contributions(
  { terms, boosts }: Pick<ParsedQuery, 'terms' | 'boosts'>,
  passage: IndexTerms,
  corpus: CorpusStatistics,
): Contribution[] {
  return terms.flatMap((term, index) => {
    const weight = passage.weights.get(term);
    if (!weight) return [];
    const rarity = idf(term, corpus);
    const norm = k1 * (1 - b + (b * passage.length) / (corpus.averageLength || 1));
    return [{ term, idf: rarity, weight, score: (boosts[index] * rarity * weight * (k1 + 1)) / (weight + norm) }];
  });
}

/**
 * The share of the query words that a passage contains, weighted by IDF (0 to 1). A compound counts as much as its
 * parts: "on-call" matches "on-call" fully and "call" partly.
 */
export function coverage(
  { units }: ParsedQuery,
  found: Pick<ReadonlySet<string>, 'has'>,
  corpus: CorpusStatistics,
): number {
  const rarity = (forms: Alternatives) => Math.min(...forms.map((term) => idf(term, corpus)));
  const worth = (list: readonly Alternatives[]) => list.reduce((sum, forms) => sum + rarity(forms), 0);
  const isFound = (forms: Alternatives) => forms.some((term) => found.has(term));
  let total = 0;
  let matched = 0;
  for (const { compound, parts } of units) {
    const whole = parts.length ? worth(parts) : worth([compound!]);
    total += whole;
    matched += compound && isFound(compound) ? whole : worth(parts.filter(isFound));
  }
  return total ? matched / total : 0;
}

/** From 1 for a passage with the whole query to this one for a passage with nothing of it. */
const leastCoverageFactor = 0.5;

/** Without it, one word in the title of a short text outranks several words of the query in a longer text. */
export const coverageFactor = (share: number): number => leastCoverageFactor + (1 - leastCoverageFactor) * share;

/** The terms of the words that `ScoredPassage.words` names. */
export function termsOfWords({ terms, wordNumbers }: ParsedQuery, words: number): Set<string> {
  const bits = BigInt(words); // 32 words do not fit into the bit operations of numbers
  return new Set(terms.filter((_, index) => (bits >> BigInt(wordNumbers[index] - 1)) & 1n));
}
