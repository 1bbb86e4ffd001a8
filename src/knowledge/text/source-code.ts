import type { Block, ExtractedText } from './block.js';

/**
 * Splits source code where an unindented line follows a blank line, so that functions stay whole and comments stay with
 * their code.
 */
export function readSourceCode(text: string): ExtractedText {
  const lines = text.split(/\r\n?|\n/);
  const blocks: Block[] = [];
  let from = 0;
  const end = (to: number) => {
    const body = lines.slice(from, to);
    const first = body.findIndex((line) => line.trim());
    if (first !== -1) {
      const last = body.findLastIndex((line) => line.trim());
      const place = { unit: 'line' as const, from: from + first + 1, to: from + last + 1 };
      blocks.push({ kind: 'code', text: body.slice(first, last + 1).join('\n'), headings: [], place });
    }
    from = to;
  };
  lines.forEach((line, index) => {
    if (index > from && /^[^\s})\]]/.test(line) && !lines[index - 1].trim()) end(index);
  });
  end(lines.length);
  return { title: null, blocks };
}
