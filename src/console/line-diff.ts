import { diffSequences, type DiffRun } from './sequence-diff.js';

export interface DiffSegment {
  text: string;
  /** The text occurs on this side only. */
  isOther: boolean;
}

/** One line of a side-by-side diff; null: no line on that side. */
export interface DiffRow {
  isSame: boolean;
  before: DiffSegment[] | null;
  after: DiffSegment[] | null;
}

/** The number of unchanged lines that are omitted. */
export interface DiffGap {
  left: number;
}

const context = 3;
/** A word includes the whitespace after it, which would otherwise separate adjacent changes. */
const wordPattern = /[\p{L}\p{M}\p{N}]+\s*|[^\p{L}\p{M}\p{N}\s]\s*|\s+/gu;

/** A side-by-side diff of two texts that marks changed words. Of long unchanged stretches only the ends remain. */
export function diffLines(before: string, after: string): (DiffRow | DiffGap)[] {
  const runs = diffSequences(linesOf(before), linesOf(after));
  return runs.flatMap((run, index) => {
    if (run.kind === 'same')
      return foldUnchanged(run.items, { isFirst: index === 0, isLast: index === runs.length - 1 });
    if (run.kind === 'gone')
      return replacedRows(run.items, runs[index + 1]?.kind === 'new' ? runs[index + 1].items : []);
    return runs[index - 1]?.kind === 'gone' ? [] : replacedRows([], run.items);
  });
}

const linesOf = (text: string): string[] => (text ? text.split('\n') : []);

const unchangedRow = (text: string): DiffRow => ({
  isSame: true,
  before: unchangedSegment(text),
  after: unchangedSegment(text),
});
const unchangedSegment = (text: string): DiffSegment[] => [{ text, isOther: false }];

function foldUnchanged(
  lines: string[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): (DiffRow | DiffGap)[] {
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context];
  const left = lines.length - head - tail;
  if (left < 2) return lines.map(unchangedRow);
  return [...lines.slice(0, head).map(unchangedRow), { left }, ...lines.slice(lines.length - tail).map(unchangedRow)];
}

/** Pairs removed lines with the lines that replaced them. */
function replacedRows(gone: string[], fresh: string[]): DiffRow[] {
  return Array.from({ length: Math.max(gone.length, fresh.length) }, (_, index): DiffRow => {
    const [before, after] = [gone.at(index), fresh.at(index)];
    if (before === undefined) return { isSame: false, before: null, after: changedSegment(after!) };
    if (after === undefined) return { isSame: false, before: changedSegment(before), after: null };
    const runs = diffSequences(before.match(wordPattern) ?? [], after.match(wordPattern) ?? []);
    return { isSame: false, before: segmentsOfSide(runs, 'gone'), after: segmentsOfSide(runs, 'new') };
  });
}

const changedSegment = (text: string): DiffSegment[] => [{ text, isOther: true }];

function segmentsOfSide(runs: DiffRun<string>[], own: 'gone' | 'new'): DiffSegment[] {
  const pieces: DiffSegment[] = [];
  for (const { kind, items } of runs.filter((run) => run.kind === 'same' || run.kind === own)) {
    const [text, isOther, last] = [items.join(''), kind === own, pieces.at(-1)];
    if (last?.isOther === isOther) last.text += text;
    else pieces.push({ text, isOther });
  }
  return pieces;
}
