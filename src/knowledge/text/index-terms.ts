import { defaultLanguage, type Language } from './languages.js';
import { tokenize, parseWords } from './tokenize.js';

export interface IndexTerms {
  /** weighted occurrences of each term; headings and titles count more */
  weights: Map<string, number>;
  /** number of words in the text, which BM25 compares with the average */
  length: number;
}

interface TitledDocument {
  title: string;
  /** a path or another name in its source; terms of a meaningless id do no harm */
  externalId: string;
  /** Default: English. */
  language?: Language;
}

const weightOf = { text: 1, path: 1, heading: 2, title: 3 };
const maxWeight = 32767; // smallint

/**
 * The terms of a chunk. Title, path and headings count for every chunk, so that a page about X ranks above one that
 * mentions X.
 */
export function indexTerms(
  { title, externalId, language = defaultLanguage }: TitledDocument,
  chunk: { heading: readonly string[]; text: string },
): IndexTerms {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number) =>
    weights.set(term, Math.min(maxWeight, (weights.get(term) ?? 0) + weight));
  const body = parseWords(chunk.text, language);
  for (const { compound, parts } of body) {
    for (const { term, isStopWord } of compound ? [compound, ...parts] : parts)
      if (!isStopWord) add(term, weightOf.text);
  }
  for (const { term } of tokenize(chunk.heading.join('\n'), language)) add(term, weightOf.heading);
  for (const { term } of tokenize(title, language)) add(term, weightOf.title);
  for (const { term } of tokenize(externalId.replace(/\.[a-z0-9]{1,5}$/i, ''), language)) add(term, weightOf.path);
  for (const { compound } of parseWords(externalId).filter(({ isPath }) => isPath)) add(compound!.term, weightOf.path);
  return {
    weights,
    length: Math.min(
      maxWeight,
      body.reduce((sum, { parts }) => sum + parts.length, 0),
    ),
  };
}
