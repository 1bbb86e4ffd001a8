import { stripVTControlCharacters } from 'node:util';

/** Columns aligned by the longest cell. The cells are plain text, with colours at most. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column] - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length;
