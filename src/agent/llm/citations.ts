import type { Citable, Quote } from '../passages.js';

const mark = /\s?((?:\[\d+(?:\s*[,;]\s*\d+)*\])+)(?!\()/g;
const code = /(```[\s\S]*?```|`[^`\n]*`)/;

/**
 * Renumbers the citation marks from 1 in order of appearance and returns the passage of each. Removes marks without a
 * retrieved passage, because they would look like evidence.
 */
export function renumberCitations(text: string, passages: readonly Citable[]): { text: string; quotes: Quote[] } {
  const quotes: Quote[] = [];
  const position = new Map<Citable, number>();
  const numberOf = (n: number): number[] => {
    const passage = passages[n - 1];
    if (!passage) return [];
    const assigned = position.get(passage);
    if (assigned) return [assigned];
    quotes.push({ passage, snippet: passage.snippet });
    position.set(passage, quotes.length);
    return [quotes.length];
  };
  const renumbered = (prose: string) =>
    prose.replace(mark, (whole, list: string) => {
      const numbers = list.match(/\d+/g)!.flatMap((n) => numberOf(Number(n)));
      const space = /^\s/.test(whole) ? whole[0] : '';
      return numbers.length ? `${space}${numbers.map((n) => `[${n}]`).join('')}` : '';
    });
  const marked = text.split(code).map((piece, index) => (index % 2 ? piece : renumbered(piece)));
  return { text: marked.join('').trim(), quotes };
}
