import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';

export const inOrder =
  <T>(keyOf: (row: T) => string) =>
  (a: T, b: T): number => {
    const [one, other] = [keyOf(a), keyOf(b)];
    return one < other ? -1 : one > other ? 1 : 0;
  };

/** Of rows in the order of their keys. What comes or goes in between moves nothing to another page. */
export function pageOf<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  size: number,
  after: string | null,
): { rows: T[]; next: string | null } {
  const rest = after === null ? rows : rows.filter((row) => keyOf(row) > after);
  const page = rest.slice(0, size);
  return { rows: page, next: rest.length > size ? keyOf(page[size - 1]) : null };
}

/** The same where the cursor is all that the caller has of the page before. */
export function cursorPage<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  size: number,
  cursor: string | undefined,
): { rows: T[]; nextCursor?: string } {
  const [after] = cursor === undefined ? [null] : decodeCursor(cursor, ['text']);
  const page = pageOf(rows, keyOf, size, after);
  return { rows: page.rows, ...(page.next === null ? {} : { nextCursor: encodeCursor([page.next]) }) };
}
