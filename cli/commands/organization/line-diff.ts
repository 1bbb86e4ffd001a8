export interface DiffLine {
  sign: '+' | '-' | ' ';
  text: string;
}

const context = 3;
/** Above it, all lines in between count as replaced: the table of the comparison grows with the product. */
const maxComparisons = 4_000_000;

/** The lines that differ, with three lines around them; "…" stands for equal lines in between. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return shortened([
    ...same(from.slice(0, start)),
    ...compared(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...same(from.slice(from.length - end)),
  ]);
}

const linesOf = (text: string) => (text ? text.replace(/\n$/, '').split('\n') : []);

/** By the longest common subsequence. */
function compared(from: string[], to: string[]): DiffLine[] {
  const removed = from.map((text): DiffLine => ({ sign: '-', text }));
  const added = to.map((text): DiffLine => ({ sign: '+', text }));
  if (from.length * to.length > maxComparisons) return [...removed, ...added];
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        from[i] === to[j]
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) {
      lines.push({ sign: ' ', text: from[i++] });
      j++;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) lines.push(removed[i++]);
    else lines.push(added[j++]);
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

function shortened(lines: DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ sign }) => sign !== ' '),
  );
  return lines.flatMap((line, at) => {
    if (isNear[at]) return [line];
    return at === 0 || isNear[at - 1] ? [{ sign: ' ', text: '…' }] : [];
  });
}
