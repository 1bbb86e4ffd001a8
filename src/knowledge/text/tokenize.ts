import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.js';

/** A searchable term and where it stands in the text. The parts of a compound stand inside the compound's own span. */
export interface TextToken {
  term: string;
  from: number;
  to: number;
  isStopWord: boolean;
}

/** A word as written: its terms are the compound (`readFile` → `readfile`), if it is one, and its parts (`read`, `file`). */
export interface TextWord {
  compound: TextToken | null;
  parts: TextToken[];
}

const maxTermLength = 64; // what is longer is a hash or an encoded blob, and nobody searches for it
const word = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|[\p{L}\p{N}\p{M}]+(?:[_\-.'’][\p{L}\p{N}\p{M}]+)*/gu;
const part = /[\p{L}\p{N}\p{M}]+/gu;
const caseBoundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const possessive = /['’]s$/i;
const acronym = /^\p{Lu}{2,}$/u; // IT and US are no pronouns
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
 * Few words make most of a text: what one comes to is remembered, as if it stood at 0. Short ones only: a longer string is a
 * window on the text it was cut from, and would keep all of it in memory.
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
  // a number stays whole: 1,320 is 1320, and 1.6 is neither 1 nor 6
  if (/^\d[\d,.]*$/.test(written))
    return { compound: null, parts: toTokens(written.replaceAll(',', ''), at, written.length) };
  const withoutApostrophes = written.replace(/['’]/g, '');
  if (withoutApostrophes !== written && !/[_\-.]/.test(written))
    return { compound: null, parts: toTokens(withoutApostrophes, at, written.length) };
  const parts = [...written.matchAll(part)].flatMap((piece) => splitCase(piece[0], at + piece.index));
  if (parts.length < 2)
    return { compound: null, parts: parts.flatMap((piece) => toTokens(piece.text, piece.at, piece.text.length)) };
  // e-mail, eMail and e_mail are one term; a dot keeps versions and file names apart
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

/** Scripts without spaces: every two neighbours are a term. */
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
