import { escapeLine, fenced, longestRun, webAddress } from './markdown-parts.js';

/** A node of the Atlassian Document Format. Apps can write it, so every property may be missing or invalid. */
interface AdfNode {
  type?: unknown;
  text?: unknown;
  attrs?: Record<string, unknown> | null;
  marks?: unknown;
  content?: unknown;
}

/** Deeper nodes are left out. No editor produces them. */
const maxDepth = 100;

/**
 * Converts a description or comment to Markdown. Text that could start a heading, a fence or a table is escaped.
 * Pictures and files are left out.
 */
export function adfToMarkdown(document: unknown): string {
  return blocks(childrenOf(document), 0).join('\n\n').trim();
}

function blocks(nodes: readonly AdfNode[], depth: number): string[] {
  const written: string[] = [];
  let line: AdfNode[] = [];
  const endLine = () => {
    const text = paragraph(line, depth);
    if (text) written.push(text);
    line = [];
  };
  for (const node of nodes) {
    if (isInline(node)) line.push(node);
    else {
      endLine();
      written.push(...block(node, depth + 1));
    }
  }
  endLine();
  return written;
}

function block(node: AdfNode, depth: number): string[] {
  if (depth > maxDepth) return ['…'];
  const children = childrenOf(node);
  switch (node.type) {
    case 'heading': {
      const text = inline(children, depth).replace(/\s+/g, ' ').trim();
      return text ? [`${'#'.repeat(headingLevel(node.attrs?.level))} ${text}`] : [];
    }
    case 'codeBlock':
      return [fenced(plainText(children, depth), stringOf(node.attrs?.language))];
    case 'blockquote':
      return [prefixed(blocks(children, depth).join('\n\n'), '> ', '> ')].filter((text) => text.trim() !== '>');
    case 'bulletList':
    case 'taskList':
    case 'decisionList':
      return list(children, depth, () => '- ');
    case 'orderedList':
      return list(children, depth, (index) => `${index + 1}. `);
    case 'table':
      return table(children, depth);
    case 'expand':
    case 'nestedExpand': {
      const title = escapeLine(stringOf(node.attrs?.title).replace(/\s+/g, ' ').trim());
      return [...(title ? [title] : []), ...blocks(children, depth)];
    }
    case 'blockCard':
    case 'embedCard':
      return [webAddress(node.attrs?.url)].filter(Boolean);
    case 'rule':
    case 'media':
    case 'mediaSingle':
    case 'mediaGroup':
      return [];
    default:
      return blocks(children, depth);
  }
}

function list(items: readonly AdfNode[], depth: number, mark: (index: number) => string): string[] {
  const lines = items.flatMap((item, index) => {
    const isDone = item.type === 'taskItem' ? (item.attrs?.state === 'DONE' ? '[x] ' : '[ ] ') : '';
    const isNested = item.type !== 'listItem' && /List$/.test(stringOf(item.type));
    const text = (isNested ? block(item, depth + 1) : blocks(childrenOf(item), depth + 1)).join('\n');
    if (!text.trim()) return [];
    return isNested ? [prefixed(text, '  ', '  ')] : [prefixed(isDone + text, mark(index), '  ')];
  });
  return lines.length ? [lines.join('\n')] : [];
}

function table(rows: readonly AdfNode[], depth: number): string[] {
  const lines = rows.map((row) => {
    const cells = childrenOf(row).map((cell) =>
      blocks(childrenOf(cell), depth + 2)
        .join(' ')
        .replace(/\s+/g, ' ')
        .replaceAll('|', '\\|'),
    );
    return { text: `| ${cells.join(' | ')} |`, count: cells.length };
  });
  if (!lines.length) return [];
  const [head, ...rest] = lines;
  return [[head.text, `|${' --- |'.repeat(head.count)}`, ...rest.map(({ text }) => text)].join('\n')];
}

const paragraph = (nodes: readonly AdfNode[], depth: number): string =>
  inline(nodes, depth).split('\n').map(escapeLine).join('\n').trim();

function inline(nodes: readonly AdfNode[], depth: number): string {
  if (depth > maxDepth) return '…';
  return nodes.map((node) => inlineText(node, depth)).join('');
}

function inlineText(node: AdfNode, depth: number): string {
  const { attrs } = node;
  switch (node.type) {
    case 'text':
      return marked(stringOf(node.text), node.marks);
    case 'hardBreak':
      return '\n';
    case 'mention':
      return stringOf(attrs?.text) || '@someone';
    case 'emoji':
      return stringOf(attrs?.text) || stringOf(attrs?.shortName);
    case 'status':
      return stringOf(attrs?.text);
    case 'date':
      return dayOf(attrs?.timestamp);
    case 'inlineCard':
      return webAddress(attrs?.url);
    case 'media':
    case 'mediaInline':
      return '';
    default:
      return inline(childrenOf(node), depth + 1);
  }
}

function marked(text: string, marks: unknown): string {
  const kinds = Array.isArray(marks) ? (marks as AdfNode[]) : [];
  if (kinds.some((mark) => mark?.type === 'code')) {
    const ticks = '`'.repeat(longestRun(text, '`') + 1);
    return `${ticks}${text}${ticks}`;
  }
  const target = webAddress(kinds.find((mark) => mark?.type === 'link')?.attrs?.href);
  return target && target !== text ? `[${text.replace(/[[\]]/g, '\\$&')}](${target})` : text;
}

/** The unescaped text of the nodes, for code. */
function plainText(nodes: readonly AdfNode[], depth: number): string {
  if (depth > maxDepth) return '…';
  return nodes
    .map((node) => (node.type === 'hardBreak' ? '\n' : stringOf(node.text) || plainText(childrenOf(node), depth + 1)))
    .join('');
}

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => (index ? others : first) + line)
    .join('\n');

const inlineTypes = new Set([
  'text',
  'hardBreak',
  'mention',
  'emoji',
  'status',
  'date',
  'inlineCard',
  'mediaInline',
  'placeholder',
]);
const isInline = ({ type }: AdfNode): boolean => inlineTypes.has(stringOf(type));

function childrenOf(node: unknown): AdfNode[] {
  const content = (node as AdfNode | null | undefined)?.content;
  return Array.isArray(content) ? content.filter((child): child is AdfNode => typeof child === 'object' && child) : [];
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const headingLevel = (value: unknown): number => Math.min(6, Math.max(1, Math.trunc(Number(value)) || 1));

function dayOf(timestamp: unknown): string {
  const date = new Date(Number(timestamp));
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
}
