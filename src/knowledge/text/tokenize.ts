import { functionWordsOf } from './detect-language.js';
import { foldWord } from './fold.js';
import { defaultLanguage, type Language } from './languages.js';
import { stem } from './stem.js';

/** A searchable term and its position in the text. The parts of a compound lie within the span of the compound. */
export interface TextToken {
  term: string;
  from: number;
  to: number;
  isStopWord: boolean;
}

/**
 * A word of the text. Its terms are its parts (`read`, `file`) and, for a compound, the whole (`readFile` →
 * `readfile`).
 */
export interface TextWord {
  compound: TextToken | null;
  parts: TextToken[];
  /** A whole path or URL. The list contains its words separately, too. */
  isPath?: true;
}

const maxTermLength = 64; // longer words are hashes or encoded data, which are not searched for
const maxPathLength = 200;
const word = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|[\p{L}\p{N}\p{M}]+(?:[_\-.'’][\p{L}\p{N}\p{M}]+)*/gu;
const part = /[\p{L}\p{N}\p{M}]+/gu;
const caseBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const possessive = /['’]s$/i;
const acronym = /^\p{Lu}{2,}$/u; // IT and US are not pronouns
/** Scripts without spaces between words, and Hangul, which writes particles together with the word. */
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
export const unspaced = new RegExp(`[${unspacedScripts}]`, 'u');
const scriptRuns = new RegExp(`[${unspacedScripts}\\p{M}]+|[^${unspacedScripts}]+`, 'gu');
/** Matches only from the start of a name, so that the time stays linear. */
const path = /(?<![\p{L}\p{N}_.@-])(?:[\p{L}\p{N}_.@-]+\/)+[\p{L}\p{N}_.@-]*[\p{L}\p{N}_]/gu;
/** "docs/a/b" and "src/rank.ts" are paths, "and/or" is not. */
const isPath = (written: string): boolean => /\/[^/]*\//.test(written) || /\.\p{L}[\p{L}\p{N}]{0,7}$/u.test(written);

export function parseWords(text: string, language: Language = defaultLanguage): TextWord[] {
  const found: TextWord[] = [];
  for (const match of text.matchAll(word))
    for (const each of cachedWords(match[0], language)) found.push(shiftedWord(each, match.index));
  if (text.includes('/')) found.push(...pathsIn(text));
  return found;
}

export const tokenize = (text: string, language: Language = defaultLanguage): TextToken[] =>
  parseWords(text, language).flatMap(({ compound, parts }) => (compound ? [compound, ...parts] : parts));

function pathsIn(text: string): TextWord[] {
  return [...text.matchAll(path)].flatMap(({ 0: written, index }): TextWord[] => {
    if (written.length > maxPathLength || !isPath(written)) return [];
    const compound = { term: foldWord(written), from: index, to: index + written.length, isStopWord: false };
    return [{ compound, parts: [], isPath: true }];
  });
}

/**
 * A few words make up most of a text, so their tokens are cached with positions relative to 0. Only short words: a
 * longer string is a slice that keeps its whole source text in memory.
 */
const wordCache = new Map<Language, Map<string, TextWord[]>>();
const maxCachedWords = 50_000;
const maxCachedWordLength = 12;

function cachedWords(match: string, language: Language): TextWord[] {
  let cached = wordCache.get(language);
  if (!cached) wordCache.set(language, (cached = new Map<string, TextWord[]>()));
  const hit = cached.get(match);
  if (hit) return hit;
  const written = match.replace(possessive, '');
  const found = unspaced.test(written) ? mixedWords(written, language) : [splitCompound(written, 0, language)];
  const named = found.filter(({ compound, parts }) => compound || parts.length);
  if (cached.size >= maxCachedWords) cached.clear();
  if (match.length <= maxCachedWordLength) cached.set(match, named);
  return named;
}

/** "配送API" has a part in each type of script. */
const mixedWords = (written: string, language: Language): TextWord[] =>
  [...written.matchAll(scriptRuns)].flatMap(({ 0: run, index }) =>
    unspaced.test(run) ? bigramWords(run, index, language) : [splitCompound(run, index, language)],
  );

const shiftedWord = ({ compound, parts }: TextWord, by: number): TextWord => ({
  compound: compound && shiftedToken(compound, by),
  parts: parts.map((token) => shiftedToken(token, by)),
});
const shiftedToken = ({ term, from, to, isStopWord }: TextToken, by: number): TextToken => ({
  term,
  from: from + by,
  to: to + by,
  isStopWord,
});

function splitCompound(written: string, at: number, language: Language): TextWord {
  // numbers are not split: 1,320 becomes 1320, and 1.6 does not match 1 or 6
  if (/^\d[\d,.]*$/.test(written))
    return { compound: null, parts: toTokens(written.replaceAll(',', ''), at, written.length, language) };
  const withoutApostrophes = written.replace(/['’]/g, '');
  if (withoutApostrophes !== written && !/[_\-.]/.test(written))
    return { compound: null, parts: toTokens(withoutApostrophes, at, written.length, language) };
  const parts = [...written.matchAll(part)].flatMap((piece) => splitCase(piece[0], at + piece.index));
  if (parts.length < 2)
    return {
      compound: null,
      parts: parts.flatMap((piece) => toTokens(piece.text, piece.at, piece.text.length, language)),
    };
  // e-mail, eMail and e_mail become one term; dots are preserved for versions and file names
  const [compound = null] = toTokens(written.replace(/[_\-'’]/g, ''), at, written.length, language);
  return { compound, parts: parts.flatMap((piece) => toTokens(piece.text, piece.at, piece.text.length, language)) };
}

function splitCase(text: string, at: number): { text: string; at: number }[] {
  let offset = at;
  return text.split(caseBoundary).map((piece) => {
    const here = { text: piece, at: offset };
    offset += piece.length;
    return here;
  });
}

/** For scripts without spaces, every pair of adjacent characters is a term. */
function bigramWords(text: string, at: number, language: Language): TextWord[] {
  const letters: { text: string; at: number }[] = [];
  let offset = at;
  for (const letter of text) {
    letters.push({ text: letter, at: offset });
    offset += letter.length;
  }
  if (letters.length === 1) return [{ compound: null, parts: toTokens(text, at, text.length, language) }];
  return letters.slice(1).map((letter, index) => {
    const pair = letters[index].text + letter.text;
    return { compound: null, parts: toTokens(pair, letters[index].at, pair.length, language) };
  });
}

function toTokens(written: string, at: number, length: number, language: Language): TextToken[] {
  if (written.length > maxTermLength) return [];
  const plain = foldWord(written);
  if (!plain) return [];
  const isStopWord = functionWordsOf(language).has(plain) && !acronym.test(written);
  return [{ term: stem(plain, language), from: at, to: at + length, isStopWord }];
}
