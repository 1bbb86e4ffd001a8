import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { HeadingPath, type Block, type ExtractedText } from './block.js';

const fence = /^\s*(`{3,}|~{3,})/;
const headingMarks = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
/** Longer lines are never headings. */
const maxHeadingLine = 500;
const underline = /^ {0,3}(=+|-+)[ \t]*$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const listItem = /^\s*([-*+>]|\d+[.)])\s/;
const frontMatterTitle = /^title:\s*(?:"(.*)"|'(.*)'|(.*?))\s*$/;

/**
 * Splits Markdown into blocks. Fenced code and tables stay whole. As in CommonMark, an unclosed fence ends with the
 * text.
 */
export function readMarkdown(text: string): ExtractedText {
  const lines = text.split(/\r\n?|\n/);
  const headings = new HeadingPath();
  const blocks: Block[] = [];
  let { title, at } = frontMatter(lines);

  const add = (kind: Block['kind'], from: number, to: number) => {
    const body = lines.slice(from, to).join('\n');
    if (body.trim())
      blocks.push({
        kind,
        text: body.trimEnd(),
        headings: headings.path,
        place: { unit: 'line', from: from + 1, to },
      });
  };
  const enter = (level: number, words: string) => {
    const plain = stripInlineMarkup(words);
    // the first top-level heading is the title, so it is not repeated in every path
    if (level === 1 && title === null && !blocks.length) title = plain;
    else if (!(level === 1 && plain === title)) headings.enter(level, plain);
  };

  while (at < lines.length) {
    const line = lines[at];
    const head = headingOf(line);
    if (!line.trim() || rule.test(line)) at++;
    else if (head) {
      enter(head.level, head.text);
      at++;
    } else if (fence.test(line)) {
      const end = endOfFence(lines, at);
      add('code', at, end);
      at = end;
    } else {
      const from = at;
      const isTable = isTableRow(line);
      while (at < lines.length && continues(lines[at], isTable) && !(at > from && underline.test(lines[at]))) at++;
      const level = isTable || listItem.test(line) ? null : underlineLevel(lines[at]);
      if (level) enter(level, lines.slice(from, at++).join(' ').slice(0, maxHeadingLine));
      else add(isTable ? 'table' : 'text', from, at);
    }
  }
  return { title, blocks };
}

const continues = (line: string, isTable: boolean): boolean =>
  line.trim() !== '' && !headingOf(line) && !fence.test(line) && isTable === isTableRow(line);

function headingOf(line: string): { level: number; text: string } | null {
  const marks = line.length <= maxHeadingLine ? headingMarks.exec(line) : null;
  if (!marks) return null;
  const words = line.slice(marks[0].length).trim();
  // closing marks must be preceded by a space
  const bare = trimTrailing(words, '#');
  return { level: marks[1].length, text: bare === '' || /\s$/.test(bare) ? bare.trimEnd() : words };
}

function isTableRow(line: string): boolean {
  const row = line.trim();
  return row.length > 1 && row.startsWith('|') && row.endsWith('|');
}

function underlineLevel(line: string | undefined): number | null {
  const mark = underline.exec(line ?? '');
  return mark && (mark[1][0] === '=' ? 1 : 2);
}

function endOfFence(lines: string[], from: number): number {
  const mark = fence.exec(lines[from])![1];
  for (let end = from + 1; end < lines.length; end++) {
    const line = lines[end].trim();
    if (line.length >= mark.length && line[0] === mark[0] && trimTrailing(line, mark[0]) === '') return end + 1;
  }
  return lines.length;
}

function frontMatter(lines: string[]): { title: string | null; at: number } {
  if (lines[0]?.trimEnd() !== '---') return { title: null, at: 0 };
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end === -1) return { title: null, at: 0 };
  const named = lines
    .slice(1, end)
    .map((line) => frontMatterTitle.exec(line.slice(0, maxHeadingLine)))
    .find(Boolean);
  return { title: named ? (named[1] ?? named[2] ?? named[3]) || null : null, at: end + 1 };
}

/** Removes inline Markdown from a heading: links become their text; emphasis and code marks are dropped. */
const stripInlineMarkup = (text: string): string =>
  text
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/[*`]+/g, '')
    .trim();
