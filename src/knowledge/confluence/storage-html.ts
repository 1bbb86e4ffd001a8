import { Parser } from 'htmlparser2';
import { UnreadableDocument } from '../../connections/connections.error.js';

/** Elements of the storage format that are also HTML elements. Attributes are dropped. */
const htmlElements = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr td th blockquote pre code strong em u s sub sup br hr dl dt dd div span'.split(
    ' ',
  ),
);
const emptyElements = new Set(['br', 'hr']);
/** Macro parameters, placeholders for authors, and elements that repeat the text. */
const droppedElements = new Set([
  'ac:parameter',
  'ac:placeholder',
  'ac:adf-attribute',
  'ac:adf-fallback',
  'ac:image',
  'ac:task-id',
  'ac:task-uuid',
  'ac:task-status',
  'script',
  'style',
  'title',
  'iframe',
  'object',
]);
const translatedElements: Record<string, string> = {
  'ac:plain-text-body': 'pre',
  'ac:task-list': 'ul',
  'ac:task': 'li',
  'ac:layout-cell': 'div',
  'ac:rich-text-body': 'div',
};

/** No editor nests deeper, and the time for parsing grows with the square of the depth. */
const maxDepth = 500;

/**
 * Converts the storage format to HTML. Throws `UnreadableDocument` if it is nested too deeply. Macros are not executed,
 * so the result has no text of an included page, which may have other readers.
 */
export function storageToHtml(storage: string): string {
  const converter = new StorageConverter();
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > maxDepth) throw new UnreadableDocument('is nested too deeply');
        converter.open(name, attributes);
      },
      ontext: (text) => converter.text(text),
      onclosetag: (name) => {
        depth--;
        converter.close(name);
      },
    },
    { decodeEntities: true, recognizeCDATA: true, recognizeSelfClosing: true },
  );
  parser.end(storage);
  return converter.html;
}

class StorageConverter {
  html = '';
  /** The number of open elements, from the outermost dropped one. 0: outside of dropped elements. */
  private hiddenDepth = 0;
  private link: { target: string; hasText: boolean } | null = null;

  open(name: string, attributes: Record<string, string>): void {
    if (this.hiddenDepth || droppedElements.has(name) || isHiddenByStyle(attributes)) {
      this.hiddenDepth++;
      return;
    }
    if (name === 'ac:link') this.link = { target: '', hasText: false };
    else if (name === 'ri:page' || name === 'ri:blog-post') this.linkTo(attributes['ri:content-title']);
    else if (name === 'ri:attachment') this.linkTo(attributes['ri:filename']);
    else if (name === 'ri:user') this.linkTo('@someone');
    else if (name === 'time') this.text(attributes.datetime ?? '');
    else if (name === 'ac:emoticon') this.text(attributes['ac:emoji-fallback'] ?? '');
    const element = this.elementOf(name);
    if (element) this.html += `<${element}>`;
  }

  text(text: string): void {
    if (this.hiddenDepth) return;
    if (this.link && text.trim()) this.link.hasText = true;
    this.html += escapeHtml(text);
  }

  close(name: string): void {
    if (this.hiddenDepth) {
      this.hiddenDepth--;
      return;
    }
    if (name === 'ac:link') {
      if (this.link && !this.link.hasText) this.html += escapeHtml(this.link.target);
      this.link = null;
    }
    const element = this.elementOf(name);
    if (element && !emptyElements.has(element)) this.html += `</${element}>`;
  }

  private elementOf(name: string): string | null {
    return translatedElements[name] ?? (htmlElements.has(name) ? name : null);
  }

  /** The title of the linked page is the text of the link if the author wrote none. */
  private linkTo(title: string | undefined): void {
    if (this.link && title) this.link.target = title;
  }
}

const isHiddenByStyle = ({ style }: Record<string, string>): boolean =>
  /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style ?? '');

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
