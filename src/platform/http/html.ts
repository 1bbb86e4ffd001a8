/** Safe markup: all interpolated values are escaped. */
export class Html {
  constructor(private readonly markup: string) {}
  toString(): string {
    return this.markup;
  }
}

type HtmlValue = Html | string | number | null | undefined | false | readonly HtmlValue[];

/** Escapes all interpolated values except `Html`. Joins lists, and omits null, undefined and false. */
export function html(strings: TemplateStringsArray, ...pieces: HtmlValue[]): Html {
  return new Html(strings.reduce((markup, string, index) => markup + renderHtmlValue(pieces[index - 1]) + string));
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
const escape = (text: string) => text.replace(/[&<>"'`]/g, (character) => escapes[character]);

function renderHtmlValue(piece: HtmlValue): string {
  if (piece instanceof Html) return piece.toString();
  if (piece === null || piece === undefined || piece === false) return '';
  if (typeof piece === 'object') return piece.map(renderHtmlValue).join('');
  return escape(String(piece));
}
