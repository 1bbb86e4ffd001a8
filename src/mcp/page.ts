import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';

export const compareBy =
  <T>(keyOf: (row: T) => string) =>
  (a: T, b: T): number => {
    const [one, other] = [keyOf(a), keyOf(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  };

/**
 * `rows` must be sorted by key. Insertions and deletions between two requests do not shift rows to another page. If all
 * rows fit on one page, returns the same array.
 */
export function keysetPage<T>(
  rows: T[],
  keyOf: (row: T) => string,
  size: number,
  after: string | null,
): { rows: T[]; next: string | null } {
  const rest = after === null ? rows : rows.filter((row) => keyOf(row) > after);
  if (rest.length <= size) return { rows: rest, next: null };
  return { rows: rest.slice(0, size), next: keyOf(rest[size - 1]) };
}

/** Like `keysetPage`, for an opaque cursor. */
export function cursorPage<T>(
  rows: T[],
  keyOf: (row: T) => string,
  size: number,
  cursor: string | undefined,
): { rows: T[]; nextCursor?: string } {
  const [after] = cursor === undefined ? [null] : decodeCursor(cursor, ['text']);
  const page = keysetPage(rows, keyOf, size, after);
  return { rows: page.rows, ...(page.next === null ? {} : { nextCursor: encodeCursor([page.next]) }) };
}
