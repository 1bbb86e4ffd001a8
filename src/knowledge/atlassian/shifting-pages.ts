import { SourceRequestError } from '../source-kit/source-request.error.js';

/** How far a list was read. */
export interface ShiftingPosition {
  start: number;
  /** The ids of the last items that were read. */
  tail: string[];
}

interface OffsetAnswer<T> {
  items: T[];
  isLast: boolean;
}

const tailLength = 50;

/**
 * Reads a list by offsets although items are removed while it is read, which moves the others to smaller offsets. Each
 * page starts with the last item of the previous one. If it does not, pages are read backwards in growing steps until one
 * contains a known item, so some items can be repeated, but none is missing.
 */
export async function* shiftingPages<T extends { id: string }>(
  readPage: (start: number) => Promise<OffsetAnswer<T>>,
  from: ShiftingPosition = { start: 0, tail: [] },
): AsyncGenerator<{ items: T[]; next: ShiftingPosition | null }> {
  let { start, tail } = from;
  let step = tailLength;
  for (;;) {
    const at = Math.max(0, start - 1);
    const { items, isLast } = await readPage(at);
    const known = new Set(tail);
    const last = items.findLastIndex(({ id }) => known.has(id));
    if (tail.length && last === -1 && at > 0) {
      start = at - step;
      step *= 2;
      continue;
    }
    step = tailLength;
    const fresh = items.slice(last + 1);
    if (!isLast && at + items.length <= start && !fresh.length)
      throw new SourceRequestError('unreadable', 'The source ended a list before its last page.', null, true);
    start = at + items.length;
    tail = [...tail, ...fresh.map(({ id }) => id)].slice(-tailLength);
    yield { items: fresh, next: isLast ? null : { start, tail } };
    if (isLast) return;
  }
}
