import { defaultLanguage, type Language } from './languages.js';
import { parseWords, type TextToken } from './tokenize.js';

export interface Snippet {
  text: string;
  /** [from, to) of each matching term in `text` */
  highlights: [number, number][];
}

const width = 260;

/** The span of a passage with the highest weight of query terms, and the positions of the terms. */
export function snippetOf(
  text: string,
  weights: ReadonlyMap<string, number>,
  language: Language = defaultLanguage,
): Snippet {
  const hits = parseWords(text, language)
    .filter(({ isPath }) => !isPath) // the words of a path are hits, too
    .flatMap(({ compound, parts }) => (compound ? [compound, ...parts] : parts))
    .filter((token) => weights.has(token.term) && token.to - token.from <= width);
  const [from, to] = widenSpan(text, bestSpan(hits, weights));
  const head = from > 0 ? '… ' : '';
  const tail = to < text.length ? ' …' : '';
  const highlights = hits
    .filter((hit) => hit.from >= from && hit.to <= to)
    .map((hit): [number, number] => [hit.from - from + head.length, hit.to - from + head.length]);
  return { text: head + text.slice(from, to) + tail, highlights: mergeSpans(highlights) };
}

/**
 * A sliding window over the hits in which each term counts once. Among equal spans the shortest wins, then the first.
 */
function bestSpan(hits: TextToken[], weights: ReadonlyMap<string, number>): [number, number] {
  const inside = new Map<string, number>();
  let weight = 0;
  let start = 0;
  let best = { weight: 0, from: 0, to: 0 };
  const drop = () => {
    const { term } = hits[start++];
    const left = inside.get(term)! - 1;
    inside.set(term, left);
    if (!left) weight -= weights.get(term)!;
  };
  for (const hit of hits) {
    const seen = inside.get(hit.term) ?? 0;
    if (!seen) weight += weights.get(hit.term)!;
    inside.set(hit.term, seen + 1);
    while (hit.to - hits[start].from > width || inside.get(hits[start].term)! > 1) drop();
    const stretch = { weight, from: hits[start].from, to: hit.to };
    const isShorter = stretch.to - stretch.from < best.to - best.from;
    if (weight > best.weight + 1e-9 || (weight > best.weight - 1e-9 && isShorter)) best = stretch;
  }
  return [best.from, best.to];
}

/** Extends a span back to the start of a nearby sentence or line and forward to the end of a word. */
function widenSpan(text: string, [first, last]: [number, number]): [number, number] {
  if (text.length <= width) return [0, text.length];
  const spare = width - (last - first);
  const before = text.slice(Math.max(0, first - spare), first);
  const sentence = /.*(?:^|[.!?]\s|\n)(?=\S)/s.exec(first > spare ? ` ${before}` : before);
  const word = /(?<=\s)\S/.exec(before.slice(-Math.ceil(spare / 3)));
  const lead = sentence
    ? before.length - (sentence[0].length - (first > spare ? 1 : 0))
    : word
      ? Math.ceil(spare / 3) - word.index
      : 0;
  const from = characterBoundary(text, Math.max(0, Math.min(first - lead, text.length - width)));
  if (text.length - from <= width) return [from, text.length];
  const room = text.slice(last, from + width);
  const end = from + width - (/\S*$/.exec(room)?.[0].length ?? 0);
  return [from, characterBoundary(text, Math.max(last, end > last ? end : from + width))];
}

/** Moves a position out of a surrogate pair. */
const characterBoundary = (text: string, at: number): number =>
  /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at;

function mergeSpans(spans: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = result.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
