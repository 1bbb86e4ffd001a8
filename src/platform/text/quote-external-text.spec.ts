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
])('quotes %j', (words, expected) => expect(quoteExternalText(words)).toBe(expected));

it('holds whatever is said in one quotation of bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (words) => {
      const text = quoteExternalText(words, 100);
      expect(text).toMatch(/^“[^“”\p{Cc}]{0,100}”$/u);
      expect(text.isWellFormed()).toBe(true);
    }),
  );
});
