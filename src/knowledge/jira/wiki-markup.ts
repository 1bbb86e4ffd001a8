import { escapeLine, fenced, webAddress } from './markdown-parts.js';

const literalTag = /\{(code|noformat)(?::([^}\n]{0,200}))?\}/g;
const heading = /^\s*h([1-6])\.\s+(.*)$/;
const quotation = /^\s*bq\.\s+(.*)$/;
const item = /^\s*([*#-]{1,20})\s+(.*)$/;
const row = /^\s*(\|\|?)(.*)$/;
const rule = /^\s*-{4,}\s*$/;
/** Tags whose content stays. Titles of panels and other parameters are left out. */
const dropped = /\{(?:quote|panel|color|anchor|toc|info|note|tip|warning|expand)(?::[^}\n]{0,500})?\}/gi;

/**
 * Converts the wiki markup of Jira Data Center to Markdown. Text that could start a heading, a fence or a table is
 * escaped. Pictures and files are left out.
 */
export function wikiToMarkdown(markup: string): string {
  const parts: string[] = [];
  const text = markup.replaceAll('\0', '');
  // a block without an end is text
  const lastEnd = new Map(['code', 'noformat'].map((name) => [name, text.lastIndexOf(`{${name}}`)]));
  let from = 0;
  literalTag.lastIndex = 0;
  for (let tag = literalTag.exec(text); tag; tag = literalTag.exec(text)) {
    const [opening, name, parameters = ''] = tag;
    const start = tag.index + opening.length;
    if (lastEnd.get(name)! < start) continue;
    const end = text.indexOf(`{${name}}`, start);
    parts.push(
      lines(text.slice(from, tag.index)),
      fenced(trimNewlines(text.slice(start, end)), languageIn(parameters)),
    );
    from = literalTag.lastIndex = end + name.length + 2;
  }
  parts.push(lines(text.slice(from)));
  return parts.filter(Boolean).join('\n\n');
}

/** Text without blocks of code. */
function lines(text: string): string {
  const written: string[] = [];
  let isTable = false;
  // at all separators that "." does not match, so that the patterns of a line match in a single attempt
  for (const line of text.split(/\r\n?|[\n\u2028\u2029]/)) {
    const [, open, cells] = row.exec(line) ?? [];
    if (open) written.push(...tableRow(cells, open === '||', isTable));
    else written.push(lineOf(line));
    isTable = Boolean(open);
  }
  return written
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function lineOf(line: string): string {
  const [, level, title] = heading.exec(line) ?? [];
  if (level) return `\n${'#'.repeat(Number(level))} ${inline(title)}\n`;
  const [, quoted] = quotation.exec(line) ?? [];
  if (quoted) return `\n> ${inline(quoted)}\n`;
  if (rule.test(line)) return '';
  const [, marks, entry] = item.exec(line) ?? [];
  if (!marks) return escapeLine(inline(line));
  return `${'  '.repeat(marks.length - 1)}${marks.endsWith('#') ? '1.' : '-'} ${inline(entry)}`;
}

/** Markdown has no table without a head, so the first row is the head. */
function tableRow(row: string, isHead: boolean, isContinued: boolean): string[] {
  const cells = row.replace(/\|{1,2}\s*$/, '').split(isHead ? '||' : '|');
  const line = `| ${cells.map((cell) => inline(cell.trim()).replaceAll('|', '\\|')).join(' | ')} |`;
  return isContinued ? [line] : ['', line, `|${' --- |'.repeat(cells.length)}`];
}

const inline = (text: string): string =>
  text
    .replace(dropped, '')
    .replace(/(^|\s)!([^!\s|][^!|\n]{0,300})(?:\|[^!\n]{0,200})?!(?=\s|$|[.,;])/g, '$1')
    .replace(/\[([^[\]\n]{1,2000})\]/g, (whole, link: string) => linkOf(link) ?? whole)
    .replace(/\{\{([^{}\n]{1,500})\}\}/g, '`$1`')
    .replace(/\\([[\]{}*_\-+^~?!|#\\])/g, '$1')
    .replaceAll('<!--', '<\\!--')
    .trimEnd();

/** `[text|address]`, `[address]` or `[~user]`. Null: other text in brackets. */
function linkOf(link: string): string | null {
  if (link.startsWith('~')) return `@${link.slice(1)}`;
  const [first, second] = link.split('|');
  if (second === undefined) return webAddress(first) || null;
  const target = webAddress(second.trim());
  return target ? `[${first}](${target})` : first;
}

const languageIn = (parameters: string): string => {
  const named = /(?:^|\|)language=([^|]+)/.exec(parameters)?.[1];
  return named ?? parameters.split('|').find((parameter) => !parameter.includes('=')) ?? '';
};

const trimNewlines = (code: string): string => code.replace(/^\r?\n/, '').trimEnd();
