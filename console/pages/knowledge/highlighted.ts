export interface Piece {
  text: string;
  isFound?: boolean;
  /** Ours: the passage goes on there. */
  isCut?: boolean;
}

/** A snippet in pieces, those between [from, to) being what was found. */
export function pieces(text: string, highlights: readonly (readonly number[])[]): Piece[] {
  const start = text.startsWith('… ') ? 2 : 0;
  const stop = text.endsWith(' …') ? text.length - 2 : text.length;
  const all: Piece[] = [{ text: text.slice(0, start), isCut: true }];
  let end = start;
  for (const [from, to] of highlights) {
    all.push({ text: text.slice(end, from) }, { text: text.slice(from, to), isFound: true });
    end = to;
  }
  all.push({ text: text.slice(end, stop) }, { text: text.slice(stop), isCut: true });
  return all.filter(({ text }) => text);
}
