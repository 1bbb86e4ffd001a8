import { Parser } from 'htmlparser2';
import { HeadingPath, type Block, type ExtractedText } from './block.js';
import { UnreadableText } from './unreadable-text.js';

/** Limits the cost of closing tags, for which the parser searches all open elements. Real pages are far less deep. */
const maxElementDepth = 1000;

const hiddenElements = new Set([
  'title',
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'math',
  'iframe',
  'object',
  'head',
  'nav',
  'footer',
  'form',
  'button',
  'select',
]);
const breaks = new Set(
  'p div section article main aside header ul ol dl li dt dd blockquote figure figcaption table hr details summary body html address fieldset'.split(
    ' ',
  ),
);

/** Extracts the visible text of a page with its headings, without scripts, navigation and hidden elements. */
export function readHtml(html: string): ExtractedText {
  const reader = new HtmlReader(html);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes, parser.startIndex),
      ontext: (text) => reader.text(text, parser.startIndex),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return reader.end();
}

class HtmlReader {
  private readonly headings = new HeadingPath();
  private readonly blocks: Block[] = [];
  private readonly lines: (index: number) => number;
  private title: string | null = null;
  private titleText: string | null = null;
  private hidden: { name: string; depth: number } | null = null;
  private isInTitle = false;
  private depth = 0;
  private words = '';
  private startsAt: number | null = null;
  private endsAt = 0;
  private cells: string[] | null = null;
  private isPreformatted = false;

  constructor(html: string) {
    this.lines = lineCounter(html);
  }

  open(name: string, attributes: Record<string, string>, at: number): void {
    if (++this.depth > maxElementDepth)
      throw new UnreadableText(`is nested more than ${maxElementDepth} elements deep`);
    if (name === 'title' && this.titleText === null) {
      this.titleText = '';
      this.isInTitle = true;
    }
    if (this.hidden) {
      if (name === this.hidden.name) this.hidden.depth++;
      return;
    }
    if (isHidden(name, attributes)) {
      this.hidden = { name, depth: 1 };
      return;
    }
    if (name === 'br') this.words += '\n';
    else if (name === 'li') {
      this.flush('text');
      this.words = '- ';
    } else if (name === 'tr') this.cells = [];
    else if (name === 'td' || name === 'th') this.words = '';
    else if (/^h[1-6]$/.test(name) || breaks.has(name)) this.flush('text');
    else if (name === 'pre') {
      this.flush('text');
      this.isPreformatted = true;
    }
    this.endsAt = at;
  }

  text(text: string, at: number): void {
    if (this.isInTitle) this.titleText += text;
    if (this.hidden) return;
    if (text.trim()) {
      this.startsAt ??= at + text.search(/\S/);
      this.endsAt = at + text.trimEnd().length - 1;
    }
    this.words += this.isPreformatted ? text : text.replace(/\s+/g, ' ');
  }

  close(name: string): void {
    this.depth--;
    if (name === 'title') this.isInTitle = false;
    if (this.hidden) {
      if (name === this.hidden.name && --this.hidden.depth === 0) this.hidden = null;
      return;
    }
    if (/^h[1-6]$/.test(name)) this.heading(Number(name[1]));
    else if (this.cells && (name === 'td' || name === 'th')) {
      this.cells.push(collapsedWhitespace(this.words).replace(/\n/g, ' '));
      this.words = '';
    } else if (name === 'td' || name === 'th') this.flush('text');
    else if (name === 'tr') this.row();
    else if (name === 'pre') {
      this.flush('code');
      this.isPreformatted = false;
    } else if (breaks.has(name)) this.flush('text');
  }

  end(): ExtractedText {
    this.flush('text');
    return { title: this.title ?? (collapsedWhitespace(this.titleText ?? '') || null), blocks: this.blocks };
  }

  private heading(level: number): void {
    const text = collapsedWhitespace(this.words).replace(/\n/g, ' ');
    this.reset();
    if (!text) return;
    if (level === 1 && this.title === null) this.title = text;
    else this.headings.enter(level, text);
  }

  /** Joins the rows of a table in one block. */
  private row(): void {
    const cells = this.cells ?? [];
    this.cells = null;
    if (!cells.some(Boolean)) return this.reset();
    const text = `| ${cells.join(' | ')} |`;
    const place = this.place();
    const last = this.blocks.at(-1);
    if (
      last?.kind === 'table' &&
      last.headings.join() === this.headings.path.join() &&
      place.from - last.place.to <= 3
    ) {
      last.text += `\n${text}`;
      last.place.to = place.to;
    } else this.blocks.push({ kind: 'table', text, headings: this.headings.path, place });
    this.reset();
  }

  private flush(kind: 'text' | 'code'): void {
    if (this.cells) return; // paragraphs inside a cell belong to the cell
    const text = kind === 'code' ? this.words.replace(/^\n+/, '').trimEnd() : collapsedWhitespace(this.words);
    if (text && text !== '-') this.blocks.push({ kind, text, headings: this.headings.path, place: this.place() });
    this.reset();
  }

  private place(): Block['place'] {
    return { unit: 'line', from: this.lines(this.startsAt ?? this.endsAt), to: this.lines(this.endsAt) };
  }

  private reset(): void {
    this.words = '';
    this.startsAt = null;
  }
}

function isHidden(name: string, attributes: Record<string, string>): boolean {
  return (
    hiddenElements.has(name) ||
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '')
  );
}

const collapsedWhitespace = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .join('\n')
    .trim();

function lineCounter(text: string): (index: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (index) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= index) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
