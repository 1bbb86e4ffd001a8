import { markedPieces } from '../../src/platform/text/suspicious-text.ts';

/** An outsider's text for places that take nothing but text, as fields and labels do. Elsewhere: `<Untrusted>`. */
export const visible = (text: string): string =>
  markedPieces(text)
    .map(({ text }) => text)
    .join('');
