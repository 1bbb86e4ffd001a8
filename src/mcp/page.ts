import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';

interface Named {
  name: string;
}

export const byName = (a: Named, b: Named): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Of rows in the order of their names. What comes or goes in between moves nothing to another page. */
export function pageOf<T extends Named>(rows: T[], size: number, cursor?: string): { rows: T[]; nextCursor?: string } {
  const [after] = cursor === undefined ? [null] : decodeCursor(cursor, ['text']);
  const rest = after === null ? rows : rows.filter(({ name }) => name > after);
  if (rest.length <= size) return { rows: rest };
  const page = rest.slice(0, size);
  return { rows: page, nextCursor: encodeCursor([page[size - 1].name]) };
}
