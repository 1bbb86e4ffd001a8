import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.js';

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
}

const maxTermLength = 64; // longer words are hashes or encoded data, for which nobody searches
const word = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|[\p{L}\p{N}\p{M}]+(?:[_\-.'’][\p{L}\p{N}\p{M}]+)*/gu;
const part = /[\p{L}\p{N}\p{M}]+/gu;
const caseBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const possessive = /['’]s$/i;
const acronym = /^\p{Lu}{2,}$/u; // IT and US are not pronouns
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

export function parseWords(text: string): TextWord[] {
  const found: TextWord[] = [];
  for (const match of text.matchAll(word))
    for (const each of cachedWords(match[0])) found.push(shiftedWord(each, match.index));
  return found;
}

export const tokenize = (text: string): TextToken[] =>
  parseWords(text).flatMap(({ compound, parts }) => (compound ? [compound, ...parts] : parts));

/**
 * A few words make up most of a text, so their tokens are cached with positions relative to 0. Only short words: a
 * longer string is a slice that keeps its whole source text in memory.
 */
const wordCache = new Map<string, TextWord[]>();
const maxCachedWords = 50_000;
const maxCachedWordLength = 12;

function cachedWords(match: string): TextWord[] {
  const known = wordCache.get(match);
  if (known) return known;
  const written = match.replace(possessive, '');
  const found = unspaced.test(written) ? bigramWords(written, 0) : [splitCompound(written, 0)];
  const named = found.filter(({ compound, parts }) => compound || parts.length);
  if (wordCache.size >= maxCachedWords) wordCache.clear();
  if (match.length <= maxCachedWordLength) wordCache.set(match, named);
  return named;
}

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

function splitCompound(written: string, at: number): TextWord {
  // numbers are not split: 1,320 becomes 1320, and 1.6 does not match 1 or 6
  if (/^\d[\d,.]*$/.test(written))
    return { compound: null, parts: toTokens(written.replaceAll(',', ''), at, written.length) };
  const withoutApostrophes = written.replace(/['’]/g, '');
  if (withoutApostrophes !== written && !/[_\-.]/.test(written))
    return { compound: null, parts: toTokens(withoutApostrophes, at, written.length) };
  const parts = [...written.matchAll(part)].flatMap((piece) => splitCase(piece[0], at + piece.index));
  if (parts.length < 2)
    return { compound: null, parts: parts.flatMap((piece) => toTokens(piece.text, piece.at, piece.text.length)) };
  // e-mail, eMail and e_mail become one term; dots are preserved for versions and file names
  const [compound = null] = toTokens(written.replace(/[_\-'’]/g, ''), at, written.length);
  return { compound, parts: parts.flatMap((piece) => toTokens(piece.text, piece.at, piece.text.length)) };
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
function bigramWords(text: string, at: number): TextWord[] {
  const letters: { text: string; at: number }[] = [];
  let offset = at;
  for (const letter of text) {
    letters.push({ text: letter, at: offset });
    offset += letter.length;
  }
  if (letters.length === 1) return [{ compound: null, parts: toTokens(text, at, text.length) }];
  return letters.slice(1).map((letter, index) => {
    const pair = letters[index].text + letter.text;
    return { compound: null, parts: toTokens(pair, letters[index].at, pair.length) };
  });
}

function toTokens(written: string, at: number, length: number): TextToken[] {
  if (written.length > maxTermLength) return [];
  const plain = written
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
  if (!plain) return [];
  const term = /^[a-z]{3,}$/.test(plain) ? stemmer(plain) : plain;
  return [{ term, from: at, to: at + length, isStopWord: stopWords.has(plain) && !acronym.test(written) }];
}
