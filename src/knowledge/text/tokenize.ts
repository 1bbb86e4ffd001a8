import { stemmer } from 'stemmer';
import { stopWords } from './stop-words.js';

/** A searchable term and where it stands in the text. The parts of a compound stand inside the compound's own span. */
export interface Token {
  term: string;
  from: number;
  to: number;
  isStopWord: boolean;
}

/** A word as written: its terms are the compound (`readFile` → `readfile`), if it is one, and its parts (`read`, `file`). */
export interface Word {
  compound: Token | null;
  parts: Token[];
}

const longestTerm = 64; // what is longer is a hash or an encoded blob, and nobody searches for it
const word = /\d{1,3}(?:,\d{3})+(?:\.\d+)?|[\p{L}\p{N}\p{M}]+(?:[_\-.'’][\p{L}\p{N}\p{M}]+)*/gu;
const part = /[\p{L}\p{N}\p{M}]+/gu;
const hump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const possessive = /['’]s$/i;
const acronym = /^\p{Lu}{2,}$/u; // IT and US are no pronouns
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

export function words(text: string): Word[] {
  const found: Word[] = [];
  for (const match of text.matchAll(word)) for (const each of wordsOf(match[0])) found.push(moved(each, match.index));
  return found;
}

export const tokens = (text: string): Token[] =>
  words(text).flatMap(({ compound, parts }) => (compound ? [compound, ...parts] : parts));

/**
 * Few words make most of a text: what one comes to is remembered, as if it stood at 0. Short ones only: a longer string is a
 * window on the text it was cut from, and would keep all of it in memory.
 */
const remembered = new Map<string, Word[]>();
const mostRemembered = 50_000;
const shortWord = 12;

function wordsOf(match: string): Word[] {
  const known = remembered.get(match);
  if (known) return known;
  const written = match.replace(possessive, '');
  const found = unspaced.test(written) ? pairs(written, 0) : [split(written, 0)];
  const named = found.filter(({ compound, parts }) => compound || parts.length);
  if (remembered.size >= mostRemembered) remembered.clear();
  if (match.length <= shortWord) remembered.set(match, named);
  return named;
}

const moved = ({ compound, parts }: Word, by: number): Word => ({
  compound: compound && movedToken(compound, by),
  parts: parts.map((token) => movedToken(token, by)),
});
const movedToken = ({ term, from, to, isStopWord }: Token, by: number): Token => ({
  term,
  from: from + by,
  to: to + by,
  isStopWord,
});

function split(written: string, at: number): Word {
  // a number stays whole: 1,320 is 1320, and 1.6 is neither 1 nor 6
  if (/^\d[\d,.]*$/.test(written))
    return { compound: null, parts: token(written.replaceAll(',', ''), at, written.length) };
  const withoutApostrophes = written.replace(/['’]/g, '');
  if (withoutApostrophes !== written && !/[_\-.]/.test(written))
    return { compound: null, parts: token(withoutApostrophes, at, written.length) };
  const parts = [...written.matchAll(part)].flatMap((piece) => humps(piece[0], at + piece.index));
  if (parts.length < 2)
    return { compound: null, parts: parts.flatMap((piece) => token(piece.text, piece.at, piece.text.length)) };
  // e-mail, eMail and e_mail are one term; a dot keeps versions and file names apart
  const [compound = null] = token(written.replace(/[_\-'’]/g, ''), at, written.length);
  return { compound, parts: parts.flatMap((piece) => token(piece.text, piece.at, piece.text.length)) };
}

function humps(text: string, at: number): { text: string; at: number }[] {
  let offset = at;
  return text.split(hump).map((piece) => {
    const here = { text: piece, at: offset };
    offset += piece.length;
    return here;
  });
}

/** Scripts without spaces: every two neighbours are a term. */
function pairs(text: string, at: number): Word[] {
  const letters: { text: string; at: number }[] = [];
  let offset = at;
  for (const letter of text) {
    letters.push({ text: letter, at: offset });
    offset += letter.length;
  }
  if (letters.length === 1) return [{ compound: null, parts: token(text, at, text.length) }];
  return letters.slice(1).map((letter, index) => {
    const pair = letters[index].text + letter.text;
    return { compound: null, parts: token(pair, letters[index].at, pair.length) };
  });
}

function token(written: string, at: number, length: number): Token[] {
  if (written.length > longestTerm) return [];
  const plain = written
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
  if (!plain) return [];
  const term = /^[a-z]{3,}$/.test(plain) ? stemmer(plain) : plain;
  return [{ term, from: at, to: at + length, isStopWord: stopWords.has(plain) && !acronym.test(written) }];
}
