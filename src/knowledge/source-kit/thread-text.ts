import { toSingleLine } from '../../platform/text/quote-external-text.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { truncate } from '../../platform/text/truncate.js';

export interface ThreadText {
  title: string;
  /** Lines below the title, such as state and labels. */
  facts?: readonly (readonly [name: string, value: string | null | undefined])[];
  /** The description, in Markdown. */
  body?: string | null;
  entries?: readonly ThreadEntry[];
}

export interface ThreadEntry {
  /** For example "Comment", "Review" or "Reply". */
  label: string;
  author: string | null | undefined;
  at?: Date;
  /** Markdown. */
  text: string | null | undefined;
  /** A line below the heading, such as the file of a review comment. */
  note?: string;
}

const maxTitle = 400;

/**
 * Composes an issue, pull request or thread as one Markdown document. Headings inside a comment are lowered and open
 * code fences are closed, so that a comment cannot end its section and imitate a comment of another author.
 */
export function composeThread({ title, facts = [], body, entries = [] }: ThreadText): string {
  const sections = [`# ${heading(title) || 'Untitled'}`];
  const lines = facts.flatMap(([name, value]) => (value ? [`${name}: ${heading(value)}`] : []));
  if (lines.length) sections.push(lines.join('\n\n'));
  const opening = nestMarkdown(body ?? '', 1);
  if (opening) sections.push(opening);
  for (const { label, author, at, text, note } of entries) {
    const words = nestMarkdown(text ?? '', 2);
    if (!words && !note) continue;
    const day = at && !Number.isNaN(at.getTime()) ? `, ${at.toISOString().slice(0, 10)}` : '';
    sections.push(`## ${heading(`${label} by ${author || 'a deleted account'}`)}${day}`);
    if (note) sections.push(paragraph(note));
    if (words) sections.push(words);
  }
  return `${sections.join('\n\n')}\n`;
}

/** Truncated, because the Markdown parser does not accept longer headings. */
const heading = (text: string): string => truncate(toSingleLine(text), maxTitle).trim();

/** Escapes characters that start a heading, fence, table or rule at the beginning of a line. */
const paragraph = (text: string): string => heading(text).replace(/^(?=[#>|`~=_*+-])/, '\\');

const fence = /^\s*(`{3,}|~{3,})/;
const headingMarks = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/;

/** Lowers headings by this number of levels, closes an open fence, and removes HTML comments. */
export function nestMarkdown(markdown: string, levels: number): string {
  const nested: string[] = [];
  let open: string | null = null;
  for (const line of withoutComments(markdown.replaceAll('\0', '').toWellFormed()).split(/\r\n?|\n/)) {
    if (open !== null) {
      nested.push(line);
      if (endsFence(line, open)) open = null;
      continue;
    }
    open = fence.exec(line)?.[1] ?? null;
    const marks = headingMarks.exec(line);
    if (marks) nested.push(`${'#'.repeat(Math.min(6, marks[1].length + levels))}${line.slice(marks[0].length)}`);
    else if (underline.test(line) && nested.at(-1)?.trim()) nested.push(`\\${line.trim()}`);
    else nested.push(line);
  }
  if (open !== null) nested.push(open);
  return nested.join('\n').trim();
}

function endsFence(line: string, mark: string): boolean {
  const text = line.trim();
  return text.length >= mark.length && text[0] === mark[0] && trimTrailing(text, mark[0]) === '';
}

/** Removes HTML comments, which issue templates contain and pages do not show. Code blocks keep them. */
function withoutComments(markdown: string): string {
  if (!markdown.includes('<!--')) return markdown;
  const kept: string[] = [];
  let open: string | null = null;
  let isComment = false;
  for (const line of markdown.split(/\r\n?|\n/)) {
    if (open !== null) {
      kept.push(line);
      if (endsFence(line, open)) open = null;
      continue;
    }
    let rest = line;
    let visible = '';
    while (rest) {
      const mark = rest.indexOf(isComment ? '-->' : '<!--');
      if (mark === -1) {
        if (!isComment) visible += rest;
        break;
      }
      if (!isComment) visible += rest.slice(0, mark);
      rest = rest.slice(mark + (isComment ? 3 : 4));
      isComment = !isComment;
    }
    if (visible || !line) kept.push(visible);
    open = isComment ? null : (fence.exec(visible)?.[1] ?? null);
  }
  return kept.join('\n');
}
