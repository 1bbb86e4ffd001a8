import { foldWord } from './text/fold.js';
import { tokenize, unspaced } from './text/tokenize.js';

/** The words of a passage, and its numbers: passages with different numbers contradict each other. */
export interface PassageShape {
  words: ReadonlySet<string>;
  numbers: string;
}

const minShared = 0.85;
/** Shorter passages may share most of their words by chance. */
const minWords = 8;

/** A number as a whole, or a word. */
const word = /\d+(?:[.,:]\d+)+|[\p{L}\p{N}\p{M}]+/gu;
/** The same for text in ASCII, three times as fast. */
const asciiWord = /\d+(?:[.,:]\d+)+|[a-z0-9]+/g;
const ascii = /^[\t-~]*$/;

export function shapeOf(text: string): PassageShape {
  const words = new Set(wordsOf(text));
  const numbers = [...words].filter((term) => /\d/.test(term)).sort();
  return { words, numbers: numbers.join(' ') };
}

/** Computed for every candidate of a search, so words are only folded, not stemmed. */
function wordsOf(text: string): string[] | null {
  if (ascii.test(text)) return text.toLowerCase().match(asciiWord);
  return unspaced.test(text) ? tokenize(text).map(({ term }) => term) : foldWord(text).match(word);
}

/** Whether two passages have almost the same words (Jaccard index) and the same numbers. */
export function isNearDuplicate(one: PassageShape, other: PassageShape): boolean {
  const [fewer, more] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  if (fewer.size < minWords || fewer.size < more.size * minShared || one.numbers !== other.numbers) return false;
  let shared = 0;
  for (const word of fewer) if (more.has(word)) shared++;
  return shared >= minShared * (fewer.size + more.size - shared);
}

/** Removes items that are near-duplicates of an earlier item, and adds them to `duplicates` of that item. */
export function collapse<T>(list: readonly T[], shape: (item: T) => PassageShape): { item: T; duplicates: T[] }[] {
  const distinct: { item: T; shape: PassageShape; duplicates: T[] }[] = [];
  for (const item of list) {
    const own = shape(item);
    const first = distinct.find((entry) => isNearDuplicate(entry.shape, own));
    if (first) first.duplicates.push(item);
    else distinct.push({ item, shape: own, duplicates: [] });
  }
  return distinct;
}
