import { parseWords } from './text/tokenize.js';

/** The words of a passage, and its numbers: passages that differ in a number contradict each other. */
export interface PassageShape {
  words: ReadonlySet<string>;
  numbers: string;
}

const minShared = 0.85;
/** Shorter passages share their few words by chance. */
const minWords = 8;

export function shapeOf(text: string): PassageShape {
  const words = new Set(parseWords(text).flatMap(({ parts }) => parts.map(({ term }) => term)));
  const numbers = [...words].filter((term) => /\d/.test(term)).sort();
  return { words, numbers: numbers.join(' ') };
}

/** Whether two passages say almost the same: the share of common words (Jaccard), with the same numbers. */
export function isNearDuplicate(one: PassageShape, other: PassageShape): boolean {
  const [fewer, more] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words];
  if (fewer.size < minWords || fewer.size < more.size * minShared || one.numbers !== other.numbers) return false;
  let shared = 0;
  for (const word of fewer) if (more.has(word)) shared++;
  return shared >= minShared * (fewer.size + more.size - shared);
}

/** Each of `list`, best first, that no earlier one says already, with those that repeat it. */
export function collapse<T>(list: readonly T[], shape: (item: T) => PassageShape): { item: T; duplicates: T[] }[] {
  const kept: { item: T; shape: PassageShape; duplicates: T[] }[] = [];
  for (const item of list) {
    const own = shape(item);
    const first = kept.find((entry) => isNearDuplicate(entry.shape, own));
    if (first) first.duplicates.push(item);
    else kept.push({ item, shape: own, duplicates: [] });
  }
  return kept;
}
