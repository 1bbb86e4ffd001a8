/** Parses CSV (RFC 4180) with this separator. */
export function cellsOf(text: string, separator = ','): string[][] {
  const [rows, cells]: [string[][], string[]] = [[], []];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; at < text.length && (text[at] !== '"' || text[at + 1] === '"'); at++) {
        cell += text[at];
        if (text[at] === '"') at++;
      }
      at++;
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') cell += text[at++];
    cells.push(cell);
    if (text[at] === separator) {
      at++;
      continue;
    }
    while (text[at] === '\r' || text[at] === '\n') at++;
    rows.push(cells.splice(0));
  }
  return rows;
}

/** Rows as objects, with column names as keys. */
export function rowsOf(text: string): Record<string, string>[] {
  const [names, ...rows] = cellsOf(text);
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
}
