import { parseWords, type TextToken } from './text/tokenize.js';

/** BM25 with the usual constants; `search.sql.ts` computes the same. */
export const k1 = 1.2;
export const b = 0.75;

export interface CorpusStatistics {
  /** chunks that the reader may see, and their average length */
  chunks: number;
  averageLength: number;
  /** number of these chunks that contain each query term */
  frequencies: Record<string, number>;
}

const maxQueryTerms = 32;

export interface ParsedQuery {
  /** distinct terms for the index */
  terms: string[];
  /** the words of the query */
  units: { compound: string | null; parts: string[] }[];
}

/** The informative words of a query, or its stop words if there are no others: "who is who" is a valid query. */
export function parseQuery(text: string): ParsedQuery {
  const all = parseWords(text);
  const informative = all
    .map(({ compound, parts }) => ({ compound, parts: parts.filter((part) => !part.isStopWord) }))
    .filter(({ compound, parts }) => parts.length || (compound && !compound.isStopWord));
  const units = distinctUnits(
    (informative.length ? informative : all).map(({ compound, parts }) => ({
      compound: termOf(compound),
      parts: parts.map(({ term }) => term),
    })),
  );
  const terms = [...new Set(units.flatMap(({ compound, parts }) => (compound ? [compound, ...parts] : parts)))].slice(
    0,
    maxQueryTerms,
  );
  return { terms, units };
}

const termOf = (token: TextToken | null): string | null => token?.term ?? null;

const distinctUnits = (units: ParsedQuery['units']) => [
  ...new Map(units.map((unit) => [JSON.stringify(unit), unit])).values(),
];

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
  terms: readonly string[],
  found: { weights: ReadonlyMap<string, number>; length: number },
  corpus: CorpusStatistics,
): Contribution[] {
  return terms.flatMap((term) => {
    const weight = found.weights.get(term);
    if (!weight) return [];
    const rarity = idf(term, corpus);
    const norm = k1 * (1 - b + (b * found.length) / (corpus.averageLength || 1));
    return [{ term, idf: rarity, weight, score: (rarity * weight * (k1 + 1)) / (weight + norm) }];
  });
}

/**
 * The share of the query words that a passage contains, weighted by IDF (0 to 1). A compound counts as much as its
 * parts: "on-call" matches "on-call" fully and "call" partly.
 */
export function coverage({ units }: ParsedQuery, found: ReadonlyMap<string, number>, corpus: CorpusStatistics): number {
  let asked = 0;
  let met = 0;
  for (const { compound, parts } of units) {
    const worth = (terms: readonly string[]) => terms.reduce((sum, term) => sum + idf(term, corpus), 0);
    const whole = parts.length ? worth(parts) : worth([compound!]);
    asked += whole;
    met += compound && found.has(compound) ? whole : worth(parts.filter((part) => found.has(part)));
  }
  return asked ? met / asked : 0;
}
