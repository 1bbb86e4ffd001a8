import { detectLanguage } from './text/detect-language.js';
import { defaultLanguage, type Language } from './text/languages.js';
import { parseWords, type TextToken, type TextWord } from './text/tokenize.js';

/** The forms of one word in the languages of the index. A passage with any of them matches. */
export type Alternatives = readonly string[];

export interface ParsedQuery {
  /** distinct terms; the other lists have the word number and the factor of each term, in the same order */
  terms: string[];
  wordNumbers: number[];
  boosts: number[];
  /** the words of the query, for the coverage */
  units: { compound: Alternatives | null; parts: Alternatives[] }[];
}

const maxQueryWords = 32;
/** The factor of a whole identifier, such as ABC-123, E_TIMEOUT or src/rank.ts. Its parts have the factor 1. */
const identifierBoost = 2;
const identifier = /[_/]|\p{Ll}\p{Lu}|(?=.*\p{L})(?=.*\p{N}).*[-.]/u;

interface QueryWord {
  compound: Alternatives | null;
  parts: { terms: Alternatives; isStopWord: boolean }[];
  isIdentifier: boolean;
  isPath: boolean;
  isStopWord: boolean;
}

/**
 * The informative words of a query, or its stop words if it has no others: "who is who" is a valid query. `languages`
 * are the languages of the searched documents.
 */
export function parseQuery(text: string, languages: readonly Language[] = [defaultLanguage]): ParsedQuery {
  const all = wordsOfQuery(text, languages);
  const informative = all
    .map((word) => ({ ...word, parts: word.parts.filter((part) => !part.isStopWord) }))
    .filter(({ compound, parts, isStopWord }) => parts.length || (compound && !isStopWord));
  const words = informative.length ? informative : all;
  const units = words
    .filter(({ isPath }) => !isPath)
    .map(({ compound, parts }) => ({ compound, parts: parts.map(({ terms }) => terms) }));
  return { ...termsOf(words), units: distinctUnits(units) };
}

/** Each word with its terms in all languages. */
function wordsOfQuery(text: string, languages: readonly Language[]): QueryWord[] {
  const detected = detectLanguage(text);
  const stopWordLanguage = languages.includes(detected) ? detected : defaultLanguage;
  const own = parseWords(text, stopWordLanguage);
  const others = languages
    .filter((language) => language !== stopWordLanguage)
    .map((language) => parseWords(text, language));
  const forms = (pick: (word: TextWord) => TextToken | null | undefined, index: number): Alternatives => [
    ...new Set([own, ...others].flatMap((words) => pick(words[index])?.term ?? [])),
  ];
  return own.map((word, index) => ({
    compound: word.compound && forms(({ compound }) => compound, index),
    parts: word.parts.map((part, at) => ({
      terms: forms(({ parts }) => parts[at], index),
      isStopWord: part.isStopWord,
    })),
    isIdentifier: !!word.compound && identifier.test(text.slice(word.compound.from, word.compound.to)),
    isPath: !!word.isPath,
    isStopWord: !!word.compound?.isStopWord,
  }));
}

function termsOf(words: readonly QueryWord[]): Pick<ParsedQuery, 'terms' | 'wordNumbers' | 'boosts'> {
  const found = new Map<string, { word: number; boost: number }>();
  let word = 0;
  const add = (terms: Alternatives, boost: number) => {
    word++;
    for (const term of terms) {
      if (word > maxQueryWords) return;
      if (!found.has(term)) found.set(term, { word, boost });
    }
  };
  for (const { compound, parts, isIdentifier } of words) {
    if (compound) add(compound, isIdentifier ? identifierBoost : 1);
    for (const { terms } of parts) add(terms, 1);
  }
  return {
    terms: [...found.keys()],
    wordNumbers: [...found.values()].map((entry) => entry.word),
    boosts: [...found.values()].map((entry) => entry.boost),
  };
}

const distinctUnits = (units: ParsedQuery['units']) => [
  ...new Map(units.map((unit) => [JSON.stringify(unit), unit])).values(),
];
