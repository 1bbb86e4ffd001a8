import { difference, type Run } from './difference.js';

export interface Piece {
  text: string;
  /** It is on this side alone. */
  isOther: boolean;
}

/** One line of two texts beside each other; null: there is none on that side. */
export interface Row {
  isSame: boolean;
  before: Piece[] | null;
  after: Piece[] | null;
}

/** So many lines that stay the same, and are left out. */
export interface Gap {
  left: number;
}

const context = 3;
/** Each with the blanks after it, which would hold changes apart otherwise. */
const words = /[\p{L}\p{M}\p{N}]+\s*|[^\p{L}\p{M}\p{N}\s]\s*|\s+/gu;

/** Two texts line beside line, with the words that differ; long stretches that do not are left out, but for their ends. */
export function comparedText(before: string, after: string): (Row | Gap)[] {
  const runs = difference(linesOf(before), linesOf(after));
  return runs.flatMap((run, index) => {
    if (run.kind === 'same') return folded(run.items, { isFirst: index === 0, isLast: index === runs.length - 1 });
    if (run.kind === 'gone') return replaced(run.items, runs[index + 1]?.kind === 'new' ? runs[index + 1].items : []);
    return runs[index - 1]?.kind === 'gone' ? [] : replaced([], run.items);
  });
}

const linesOf = (text: string): string[] => (text ? text.split('\n') : []);

const same = (text: string): Row => ({ isSame: true, before: whole(text), after: whole(text) });
const whole = (text: string): Piece[] => [{ text, isOther: false }];

function folded(lines: string[], { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): (Row | Gap)[] {
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context];
  const left = lines.length - head - tail;
  if (left < 2) return lines.map(same);
  return [...lines.slice(0, head).map(same), { left }, ...lines.slice(lines.length - tail).map(same)];
}

/** Lines that went beside those that came instead. */
function replaced(gone: string[], fresh: string[]): Row[] {
  return Array.from({ length: Math.max(gone.length, fresh.length) }, (_, index): Row => {
    const [before, after] = [gone.at(index), fresh.at(index)];
    if (before === undefined) return { isSame: false, before: null, after: marked(after!) };
    if (after === undefined) return { isSame: false, before: marked(before), after: null };
    const runs = difference(before.match(words) ?? [], after.match(words) ?? []);
    return { isSame: false, before: side(runs, 'gone'), after: side(runs, 'new') };
  });
}

const marked = (text: string): Piece[] => [{ text, isOther: true }];

function side(runs: Run<string>[], own: 'gone' | 'new'): Piece[] {
  const pieces: Piece[] = [];
  for (const { kind, items } of runs.filter((run) => run.kind === 'same' || run.kind === own)) {
    const [text, isOther, last] = [items.join(''), kind === own, pieces.at(-1)];
    if (last?.isOther === isOther) last.text += text;
    else pieces.push({ text, isOther });
  }
  return pieces;
}
