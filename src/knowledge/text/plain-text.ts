import type { Block, ExtractedText } from './block.js';

/** Splits text into paragraphs at blank lines. */
export function readPlainText(text: string): ExtractedText {
  return { title: null, blocks: paragraphs(text, (from, to) => ({ unit: 'line', from: from + 1, to: to + 1 })) };
}

/** Splits pages into paragraphs. The page is the most precise location in a PDF. */
export function readPages(title: string | null, pages: string[]): ExtractedText {
  return {
    title,
    blocks: pages.flatMap((text, index) => paragraphs(text, () => ({ unit: 'page', from: index + 1, to: index + 1 }))),
  };
}

function paragraphs(text: string, place: (from: number, to: number) => Block['place']): Block[] {
  const lines = text.split(/\r\n?|\n/);
  const blocks: Block[] = [];
  let from = 0;
  for (let at = 0; at <= lines.length; at++) {
    if (lines[at]?.trim()) continue;
    if (at > from)
      blocks.push({
        kind: 'text',
        text: lines.slice(from, at).join('\n').trimEnd(),
        headings: [],
        place: place(from, at - 1),
      });
    from = at + 1;
  }
  return blocks;
}
