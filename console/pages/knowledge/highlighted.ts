export interface Piece {
  text: string;
  isMatch?: boolean;
  /** An ellipsis that the server added. */
  isEllipsis?: boolean;
}

/** Splits a snippet into pieces; the ranges [from, to) are matches. */
export function pieces(text: string, highlights: readonly (readonly number[])[]): Piece[] {
  const start = text.startsWith('… ') ? 2 : 0;
  const stop = text.endsWith(' …') ? text.length - 2 : text.length;
  const all: Piece[] = [{ text: text.slice(0, start), isEllipsis: true }];
  let end = start;
  for (const [from, to] of highlights) {
    all.push({ text: text.slice(end, from) }, { text: text.slice(from, to), isMatch: true });
    end = to;
  }
  all.push({ text: text.slice(end, stop) }, { text: text.slice(stop), isEllipsis: true });
  return all.filter(({ text }) => text);
}
