import { markedPieces } from '../../src/platform/text/marked-pieces.ts';

/** Untrusted text for places that take a string only, such as labels. Elsewhere: `<Untrusted>`. */
export const visible = (text: string): string =>
  markedPieces(text)
    .map(({ text }) => text)
    .join('');
