import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { costOf, isDecimal, isLess } from './cost.js';

describe('the cost of model usage', () => {
  it('is exact', () => {
    expect(costOf({ input: '3', output: '15' }, 100, 10)).toBe('0.000450000');
    expect(costOf({ input: '0.15', output: '0.6' }, 1_000_000, 1_000_000)).toBe('0.750000000');
    expect(costOf({ input: '0.1', output: '0.2' }, 1_000_000, 1_000_000)).toBe('0.300000000');
  });
  it('is unknown without prices, not zero', () => {
    expect(costOf(null, 5, 5)).toBeNull();
  });
  it('never decreases with more tokens', () => {
    const tokens = fc.integer({ min: 0, max: 10_000_000 });
    const price = fc
      .tuple(fc.nat(1000), fc.nat(999_999))
      .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`);
    fc.assert(
      fc.property(price, price, tokens, tokens, tokens, (input, output, a, b, more) => {
        const cost = costOf({ input, output }, a, b)!;
        expect(isLess(costOf({ input, output }, a + more, b)!, cost)).toBe(false);
        expect(cost).toMatch(/^\d+\.\d{9}$/);
      }),
    );
  });
  it.each(['1', '0.5', '12.345678'])('accepts %s as a decimal', (text) => expect(isDecimal(text)).toBe(true));
  it.each(['', '-1', '1e3', '.5', '1.', '1.2345678', 3, null])('does not accept %s as a decimal', (text) =>
    expect(isDecimal(text)).toBe(false),
  );
  it('is compared as a number', () => {
    expect(isLess('9.5', '10')).toBe(true);
    expect(isLess('10', '10.000')).toBe(false);
  });
});
