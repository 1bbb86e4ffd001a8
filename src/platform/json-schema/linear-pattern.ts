import { RE2JS } from 're2js';

/** A foreign pattern that matches in time linear in the text. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Estimated number of instructions. The cost of a match is at most this times the length of the text. */
  size: number;
}

const maxPatternLength = 500;
const maxInstructions = 3000;
/** `\s` and line terminators as in JavaScript: in RE2, `\s` matches fewer and `.` matches more characters. */
const whitespace = String.raw`\t\n\x0b\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const lineEnds = String.raw`\n\r\x{2028}\x{2029}`;

/** Returns null if the pattern is invalid, too large, or needs backtracking (lookaround, backreferences). */
export function linearPattern(source: string): LinearPattern | null {
  if (source.length > maxPatternLength) return null;
  try {
    new RegExp(source, 'u'); // checks the syntax only: it compiles at the first match
    const translated = translateToRe2(source);
    if (!translated || translated.size > maxInstructions) return null;
    const compiled = RE2JS.compile(RE2JS.translateRegExp(translated.source));
    return { test: (text) => compiled.test(text), size: translated.size };
  } catch {
    return null;
  }
}

const quantifier = /\{(\d+)(?:,(\d*))?\}/y;
const classAtomSize = 20;

/** Translates the pattern to RE2 syntax and estimates its size from above. Returns null if RE2 cannot express it. */
function translateToRe2(source: string): { source: string; size: number } | null {
  const sums = [0]; // size of each open group
  let last = 0; // size of the previous atom
  let isInClass = false;
  let text = '';
  const add = (size: number) => {
    sums[sums.length - 1] += size;
    last = size;
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === '\\') {
      const escaped = source[++at];
      if (escaped === 'k' || (isInClass && escaped === 'S')) return null;
      if (!isInClass) add('pPsS'.includes(escaped) ? classAtomSize : 1);
      if (escaped === 's') text += isInClass ? whitespace : `[${whitespace}]`;
      else if (escaped === 'S') text += `[^${whitespace}]`;
      else text += `\\${escaped}`;
      if ('pPu'.includes(escaped) && source[at + 1] === '{') {
        const end = source.indexOf('}', at) + 1;
        text += source.slice(at + 1, end);
        at = end - 1;
      }
    } else if (isInClass) {
      isInClass = character !== ']';
      text += character === '[' ? '\\[' : character;
    } else if (character === '[') {
      isInClass = true;
      add(classAtomSize);
      text += character;
      if (source[at + 1] === '^') text += source[++at];
    } else if (character === '(') {
      sums.push(1);
      text += character;
    } else if (character === ')') {
      add(sums.pop()! + 1);
      text += character;
    } else if (character === '{') {
      quantifier.lastIndex = at;
      // in a Unicode pattern, an unescaped brace always starts a quantifier
      const [whole, least, most] = quantifier.exec(source)!;
      const times = Math.max(Number(least), Number(most || 0), 1);
      sums[sums.length - 1] += last * (times - 1);
      text += whole;
      at += whole.length - 1;
    } else if (character === '.') {
      add(1);
      text += `[^${lineEnds}]`;
    } else {
      add(1);
      text += character;
    }
  }
  return { source: text, size: sums[0] };
}
