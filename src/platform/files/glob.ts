import type { StepBudget } from './step-budget.js';

const wildcard: unique symbol = Symbol('*');
/** A star, or a test of a single character. */
type GlobToken = typeof wildcard | ((letter: string) => boolean);

/**
 * A pattern for one path segment: `*`, `?`, `[…]` and `\\`. null: an invalid class such as "[z-a]", which never
 * matches.
 */
export function parseGlob(text: string): GlobToken[] | null {
  const read: GlobToken[] = [];
  const letters = [...text];
  const lastClosing = letters.lastIndexOf(']');
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at];
    const close = letter === '[' && at < lastClosing ? endOfCharacterClass(letters, at) : -1;
    if (letter === '*') {
      if (read.at(-1) !== wildcard) read.push(wildcard);
    } else if (letter === '?') read.push(() => true);
    else if (close > 0) {
      const isNegated = /[!^]/.test(letters[at + 1]);
      const ranges = parseCharacterClass(letters.slice(at + (isNegated ? 2 : 1), close));
      if (!ranges) return null;
      read.push((character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated);
      at = close;
    } else {
      const literal = letter === '\\' && at + 1 < letters.length ? letters[++at] : letter;
      read.push((character) => character === literal);
    }
  }
  return read;
}

/** The index of the closing bracket; a "]" right after the opening one is a member of the class. -1: unterminated. */
function endOfCharacterClass(letters: readonly string[], from: number): number {
  let at = from + 1;
  if (letters[at] === '!' || letters[at] === '^') at++;
  if (letters[at] === ']') at++;
  for (; at < letters.length; at++)
    if (letters[at] === '\\') at++;
    else if (letters[at] === ']') return at;
  return -1;
}

function parseCharacterClass(members: readonly string[]): [from: string, to: string][] | null {
  const ranges: [string, string][] = [];
  for (let at = 0; at < members.length; at++) {
    if (members[at] === '\\') at++;
    const from = members[at] ?? '\\';
    if (members[at + 1] !== '-' || at + 2 >= members.length) {
      ranges.push([from, from]);
      continue;
    }
    at += 2;
    if (members[at] === '\\') at++;
    const to = members[at] ?? '\\';
    if (from.codePointAt(0)! > to.codePointAt(0)!) return null;
    ranges.push([from, to]);
  }
  return ranges;
}

/** Takes time proportional to the product of both lengths, whatever the pattern is. */
export function matchesGlob(glob: readonly GlobToken[], name: string, budget: StepBudget): boolean {
  const letters = [...name];
  budget.spend(letters.length);
  let at = 0;
  let g = 0;
  let star = -1;
  let resume = 0;
  while (at < letters.length) {
    const piece = glob[g];
    if (piece === wildcard) {
      star = g++;
      resume = at;
    } else if (piece?.(letters[at])) {
      g++;
      at++;
    } else if (star !== -1) {
      // the last star takes one more character; the part before it has already matched
      budget.spend(g - star);
      g = star + 1;
      at = ++resume;
    } else return false;
  }
  while (glob[g] === wildcard) g++;
  return g === glob.length;
}
