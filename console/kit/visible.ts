import { markSuspiciousText } from '../../src/platform/text/suspicious-text.ts';

/** Untrusted text for places that take a string only, such as labels. Elsewhere: `<Untrusted>`. */
export const visible = (text: string): string =>
  markSuspiciousText(text)
    .map(({ text }) => text)
    .join('');
