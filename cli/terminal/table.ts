import widthOf from 'fast-string-width';

/** Columns aligned by the widest cell. The cells are plain text, with colours at most. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column] - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}
