import { parseWords, type TextToken } from './text/tokenize.js';

/** BM25 with the usual constants; `search.sql.ts` computes the same. */
export const k1 = 1.2;
export const b = 0.75;

export interface CorpusStatistics {
  /** chunks that this reader may see, and their average length */
  chunks: number;
  averageLength: number;
  /** in how many of them each term of the query occurs */
  frequencies: Record<string, number>;
}

const maxQueryTerms = 32;

export interface ParsedQuery {
  /** looked up in the index, each once */
  terms: string[];
  /** what was asked for, word by word */
  units: { compound: string | null; parts: string[] }[];
}

/** The informative words of a question. Only if there are none, its stop words: "IT" and "who is who" are questions, too. */
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

/** How much a term tells apart. A term that occurs nowhere tells the most: a passage without it lacks something. */
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

/** Why a passage has its score. */
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
 * The share of what was asked for that a passage has, by how much each word tells apart (0 to 1). A compound is worth its
 * parts: "on-call" is met in full by "on-call", and in part by "call".
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
