export interface DiffRun<T> {
  kind: 'same' | 'gone' | 'new';
  items: T[];
}

/** Beyond this many pairs the whole middle counts as replaced: still correct, but coarse. */
const maxDiffPairs = 4_000_000;

/** Transforms one list into another along a longest common subsequence. Removals come before insertions. */
export function diffSequences<T>(before: readonly T[], after: readonly T[]): DiffRun<T>[] {
  const start = commonLength(before, after, (index) => index);
  const end = Math.min(
    commonLength(before, after, (index, { length }) => length - 1 - index),
    Math.min(before.length, after.length) - start,
  );
  const gone = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  return mergeRuns([
    { kind: 'same', items: before.slice(0, start) },
    ...diffMiddle(gone, fresh),
    { kind: 'same', items: before.slice(before.length - end) },
  ]);
}

function commonLength<T>(
  a: readonly T[],
  b: readonly T[],
  place: (index: number, list: readonly T[]) => number,
): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[place(length, a)] === b[place(length, b)]) length++;
  return length;
}

function diffMiddle<T>(gone: T[], fresh: T[]): DiffRun<T>[] {
  if (gone.length * fresh.length > maxDiffPairs)
    return [
      { kind: 'gone', items: gone },
      { kind: 'new', items: fresh },
    ];
  const longest = subsequenceLengths(gone, fresh);
  const width = fresh.length + 1;
  const runs: DiffRun<T>[] = [];
  let [i, j] = [0, 0];
  while (i < gone.length && j < fresh.length) {
    if (gone[i] === fresh[j]) {
      runs.push({ kind: 'same', items: [gone[i++]] });
      j++;
    } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      runs.push({ kind: 'gone', items: [gone[i++]] });
    } else {
      runs.push({ kind: 'new', items: [fresh[j++]] });
    }
  }
  return [...runs, { kind: 'gone', items: gone.slice(i) }, { kind: 'new', items: fresh.slice(j) }];
}

/** Lengths of the longest common subsequence of the two tails, for each pair of positions. */
function subsequenceLengths<T>(a: T[], b: T[]): Uint32Array {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
  return table;
}

/** Merges adjacent runs of the same kind; between unchanged runs, removals come first. */
function mergeRuns<T>(runs: DiffRun<T>[]): DiffRun<T>[] {
  const result: DiffRun<T>[] = [];
  const add = (kind: DiffRun<T>['kind'], items: T[]) => {
    const last = result.at(-1);
    if (!items.length) return;
    if (last?.kind === kind) last.items.push(...items);
    else result.push({ kind, items: [...items] });
  };
  let [gone, fresh]: [T[], T[]] = [[], []];
  for (const { kind, items } of [...runs, { kind: 'same', items: [] } satisfies DiffRun<T>]) {
    if (kind === 'gone') gone.push(...items);
    else if (kind === 'new') fresh.push(...items);
    else if (items.length || gone.length || fresh.length) {
      add('gone', gone);
      add('new', fresh);
      add('same', items);
      [gone, fresh] = [[], []];
    }
  }
  return result;
}
