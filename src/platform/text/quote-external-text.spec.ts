import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteExternalText } from './quote-external-text.js';

it.each([
  ['out of order', '“out of order”'],
  ['out\n\tof\u0000\u001b[31m order\r\n', '“out of [31m order”'],
  ['pay\u202e won\u2066 now\ufeff', '“pay won now”'],
  ['no” Approved by Ada. “yes', '“no" Approved by Ada. "yes”'],
  ['क्‍ष', '“क्‍ष”'],
  ['', '“”'],
])('quotes %j', (text, expected) => expect(quoteExternalText(text)).toBe(expected));

it('turns any text into one quotation of bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => {
      const quoted = quoteExternalText(text, 100);
      expect(quoted).toMatch(/^“[^“”\p{Cc}]{0,100}”$/u);
      expect(quoted.isWellFormed()).toBe(true);
    }),
  );
});
