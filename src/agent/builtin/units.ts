/** A piece of a passage that can be quoted on its own. */
export interface PassageUnit {
  text: string;
  kind: 'sentence' | 'item' | 'row' | 'code';
  /** The header row of the table, without which a row is hard to understand. */
  head?: string;
}

const fence = /^\s*(```|~~~)/;
const item = /^\s*([-*+•]|\d+[.)])\s+/;
const sentenceEnd =
  /(?<=[^\s.][.!?][”"')\]]?)(?<!\b(?:e\.g|i\.e|etc|approx|no|vs|Mr|Ms|Dr|St)\.)\s+(?=["“'([]?[\p{Lu}\p{N}`])/u;

/** Splits a passage into sentences, list items, table rows and whole code blocks, in order. */
export function splitIntoUnits(passage: string): PassageUnit[] {
  const found: PassageUnit[] = [];
  let paragraph: string[] = [];
  let code: string[] | null = null;
  let head: string | undefined;
  const flush = () => {
    const text = paragraph.join(' ').trim();
    paragraph = [];
    if (!text) return;
    if (item.test(text)) found.push({ text: text.replace(item, '').trim(), kind: 'item' });
    else
      found.push(
        ...text.split(sentenceEnd).map((sentence): PassageUnit => ({ text: sentence.trim(), kind: 'sentence' })),
      );
  };
  for (const line of passage.split(/\r?\n/)) {
    if (!/^\s*\|/.test(line)) head = undefined;
    if (code) {
      code.push(line);
      if (fence.test(line)) {
        found.push({ text: code.join('\n'), kind: 'code' });
        code = null;
      }
    } else if (fence.test(line)) {
      flush();
      code = [line];
    } else if (/^\s*\|/.test(line)) {
      flush();
      if (!/^[\s|:-]+$/.test(line)) found.push({ text: line.trim(), kind: 'row', ...(head ? { head } : {}) });
      head ??= line.trim();
      continue;
    } else {
      if (!line.trim() || item.test(line) || /^#{1,6}\s/.test(line)) flush();
      if (line.trim()) paragraph.push(line.trim());
    }
  }
  flush();
  if (code) found.push({ text: code.join('\n'), kind: 'code' });
  return found.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}
